/** Which HTTP API. */
export const serverOptions = {
  server: {
    type: 'string',
    value: 'URL',
    help: 'HTTP API of the cluster, which gets the token of the kubeconfig. Defaults to that of the platform on this machine.',
  },
  'server-ca': {
    type: 'string',
    value: 'FILE',
    help: 'Certificates, in PEM, that the certificate of --server must come from. Defaults to those of the system.',
  },
} as const
