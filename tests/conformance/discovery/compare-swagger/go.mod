module agents.test/discovery/compare-swagger

go 1.26.0

require (
	github.com/google/gnostic-models v0.7.0
	go.yaml.in/yaml/v3 v3.0.4
	google.golang.org/protobuf v1.36.11
)
