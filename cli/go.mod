module github.com/holdfast-gitops/holdfast/cli

go 1.26.0
