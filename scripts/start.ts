console.log(
  [
    'The local platform, which runs agents on this machine, cannot be started yet.',
    'What can be started is its Kubernetes API server; docs/local.md takes you through it:',
    '',
    '  npm run --silent apiserver -- --data-dir .state/cluster --kubeconfig .state/kubeconfig',
    '',
    'Or try "npm test", and read docs/architecture.md.',
  ].join('\n'),
)
