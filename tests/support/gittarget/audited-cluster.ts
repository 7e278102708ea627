import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyMaterial } from '../../../packages/apiserver/src/auth/pki/key-material.ts'
import { freePort } from '../testbed/free-port.ts'
import { kubeconfigText } from '../testbed/kubeconfig.ts'
import { type RealCluster, type StaticToken, startRealCluster } from '../testbed/real-cluster.ts'

/** A kube-apiserver that sends its audit events to an operator on this machine. */
export interface AuditedCluster {
  readonly cluster: RealCluster
  /** The audit webhook of the operator. */
  readonly webhook: { readonly url: string; readonly caPem: string; readonly token: string }
  /** The settings of the operator that receives the events. */
  readonly operatorSettings: Readonly<Record<string, string>>
  stop(): Promise<void>
}

interface AuditedClusterOptions {
  readonly tokens: readonly StaticToken[]
  /** Requests for this namespace are not audited. */
  readonly unaudited: string
}

export async function startAuditedCluster(options: AuditedClusterOptions): Promise<AuditedCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-audit-webhook-'))
  const { caCertificate, servingCertificate, servingKey } = createKeyMaterial(new Date())
  const token = randomBytes(24).toString('hex')
  const port = await freePort()
  const url = `https://127.0.0.1:${port}/audit`
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, text, { mode: 0o600 })
    return path
  }
  const policy = await file('policy.json', JSON.stringify(policyWithout(options.unaudited)))
  const config = await file('webhook.json', kubeconfigText({ url, caPem: caCertificate, token }))
  const cluster = await startRealCluster({
    fsync: false,
    tokens: options.tokens,
    apiServerFlags: [
      `--audit-policy-file=${policy}`,
      `--audit-webhook-config-file=${config}`,
      '--audit-webhook-batch-max-wait=200ms',
      // The operator starts after the API server.
      '--audit-webhook-initial-backoff=500ms',
    ],
  })
  return {
    cluster,
    webhook: { url, caPem: caCertificate, token },
    operatorSettings: {
      GITTARGET_AUDIT_WEBHOOK_ENABLED: 'true',
      GITTARGET_AUDIT_WEBHOOK_HOST: '127.0.0.1',
      GITTARGET_AUDIT_WEBHOOK_PORT: String(port),
      GITTARGET_AUDIT_WEBHOOK_TLS_CERT_FILE: await file('tls.crt', servingCertificate),
      GITTARGET_AUDIT_WEBHOOK_TLS_KEY_FILE: await file('tls.key', servingKey),
      GITTARGET_AUDIT_WEBHOOK_TOKEN_FILE: await file('token', `${token}\n`),
    },
    stop: async () => {
      await cluster.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The policy of docs/gittarget.md, without one namespace. */
function policyWithout(namespace: string): object {
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
    rules: [
      { level: 'None', namespaces: [namespace] },
      { level: 'None', verbs: ['get', 'list', 'watch'] },
      {
        level: 'None',
        resources: [
          { group: 'coordination.k8s.io', resources: ['leases'] },
          { group: '', resources: ['events'] },
          { group: 'events.k8s.io', resources: ['events'] },
        ],
      },
      { level: 'Metadata' },
    ],
  }
}
