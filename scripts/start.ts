console.log(
  [
    'There is nothing to start yet.',
    'The kinds, their validation and the status contract are here; the local platform is not.',
    'Try "npm test", or read docs/architecture.md.',
  ].join('\n'),
)
