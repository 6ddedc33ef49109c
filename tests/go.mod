module github.com/holdfast-gitops/holdfast/tests

go 1.26.0
