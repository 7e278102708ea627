interface KubeconfigEntry {
  readonly url: string
  readonly caPem: string
  readonly token: string
  readonly namespace?: string
}

/** A kubeconfig with one context, as JSON, which every YAML parser accepts. */
export function kubeconfigText({ url, caPem, token, namespace }: KubeconfigEntry): string {
  const cluster = {
    server: url,
    'certificate-authority-data': Buffer.from(caPem).toString('base64'),
  }
  const context = { cluster: 'testbed', user: 'testbed', ...(namespace && { namespace }) }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'testbed', cluster }],
    users: [{ name: 'testbed', user: { token } }],
    contexts: [{ name: 'testbed', context }],
    'current-context': 'testbed',
  }
  return `${JSON.stringify(config, undefined, 2)}\n`
}
