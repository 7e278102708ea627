module agents.invalid/testbed/gitea

go 1.26

require code.gitea.io/gitea v1.23.8
