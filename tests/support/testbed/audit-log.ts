import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A request as kube-apiserver audits it. */
export interface NotedRequest {
  readonly verb: string
  readonly userAgent?: string
  readonly user?: { readonly username?: string }
  readonly impersonatedUser?: { readonly username?: string; readonly groups?: readonly string[] }
  readonly objectRef?: {
    readonly apiGroup?: string
    readonly resource?: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
  }
  readonly responseStatus?: { readonly code?: number }
}

/** The audit log of kube-apiserver. */
export interface AuditLog {
  readonly apiServerFlags: readonly string[]
  read(): Promise<NotedRequest[]>
  remove(): Promise<void>
}

export async function auditLog(): Promise<AuditLog> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-audit-'))
  const log = join(folder, 'audit.log')
  const policy = join(folder, 'policy.json')
  await writeFile(policy, JSON.stringify(wholeRequests))
  return {
    apiServerFlags: [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`],
    read: async () => {
      const lines = (await readFile(log, 'utf8')).split('\n').filter(Boolean)
      return lines.map((line) => JSON.parse(line) as NotedRequest)
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Logs each request once, when it completes; watches that are still open are not logged. */
const wholeRequests = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'Metadata' }],
}
