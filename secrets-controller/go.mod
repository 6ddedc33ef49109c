module github.com/holdfast-gitops/holdfast/secrets-controller

go 1.26.0
