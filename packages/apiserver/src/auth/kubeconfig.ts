import { stringify } from 'yaml'

export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string
  readonly caCertificate: string
  readonly token: string
  /** Names the cluster, the user and the context. */
  readonly name: string
  readonly namespace?: string
}

/** A kubeconfig that needs no other file. */
export function kubeconfig({
  server,
  caCertificate,
  token,
  name,
  namespace,
}: KubeconfigOptions): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server,
          'certificate-authority-data': Buffer.from(caCertificate).toString('base64'),
        },
      },
    ],
    users: [{ name, user: { token } }],
    contexts: [
      { name, context: { cluster: name, user: name, ...(namespace ? { namespace } : {}) } },
    ],
    'current-context': name,
  })
}
