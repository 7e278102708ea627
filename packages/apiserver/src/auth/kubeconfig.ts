interface KubeconfigOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string
  readonly caCertificate: string
  readonly token: string
  /** Name of the cluster, the user and the context. */
  readonly name: string
  readonly namespace?: string
}

/** A self-contained kubeconfig. */
export function kubeconfig({
  server,
  caCertificate,
  token,
  name,
  namespace,
}: KubeconfigOptions): string {
  const authority = Buffer.from(caCertificate).toString('base64')
  const quoted = JSON.stringify(name)
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${quoted}
    cluster:
      server: ${JSON.stringify(server)}
      certificate-authority-data: ${authority}
users:
  - name: ${quoted}
    user:
      token: ${JSON.stringify(token)}
contexts:
  - name: ${quoted}
    context:
      cluster: ${quoted}
      user: ${quoted}
${namespace ? `      namespace: ${JSON.stringify(namespace)}\n` : ''}current-context: ${quoted}
`
}
