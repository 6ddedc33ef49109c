module github.com/holdfast-gitops/holdfast/config

go 1.26.0
