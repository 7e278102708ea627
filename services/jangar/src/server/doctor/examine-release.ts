import type { Clock } from '@agents/controller'
import type { CustomResourceDefinition, KubeClient } from '@agents/kube'
import type { Finding } from '../cluster-checks/finding.ts'
import { checkAccess } from './check-access.ts'
import { checkDefinitions } from './check-definitions.ts'
import { checkGrpc } from './check-grpc.ts'
import { checkHttp } from './check-http.ts'
import type { Grant } from './grant.ts'
import type { PinnedCertificate } from './pinned-certificate.ts'
import { untilGood } from './until-good.ts'

export interface ReleaseQuestions {
  readonly http: readonly URL[]
  /** `host:port` */
  readonly grpc: readonly string[]
  /** What servers with TLS must have. If omitted, they are trusted as usual. */
  readonly pinned?: PinnedCertificate | undefined
  readonly grants?: readonly Grant[] | undefined
  readonly definitions?: readonly CustomResourceDefinition[] | undefined
}

export interface ReleasePorts {
  /** Called only if a check needs the client. The caller closes it. */
  readonly openClient: () => Promise<KubeClient>
  readonly clock: Clock
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Runs all checks concurrently, each until it is good or the time limit is reached. */
export async function examineRelease(
  { http, grpc, pinned, grants, definitions }: ReleaseQuestions,
  ports: ReleasePorts,
): Promise<readonly Finding[]> {
  const { signal } = ports
  let opened: Promise<KubeClient> | undefined
  const client = (): Promise<KubeClient> => {
    opened ??= ports.openClient().catch((error: unknown) => {
      // Reset so that the next attempt opens the client again.
      opened = undefined
      throw error
    })
    return opened
  }
  const checks: [about: string, check: () => Promise<Finding>][] = [
    ...http.map((url): [string, () => Promise<Finding>] => [
      'http',
      () => checkHttp(url, signal, pinned),
    ]),
    ...grpc.map((address): [string, () => Promise<Finding>] => [
      'grpc',
      () => checkGrpc(address, signal, pinned),
    ]),
  ]
  if (grants !== undefined) {
    checks.push(['rbac', async () => checkAccess({ client: await client(), grants, signal })])
  }
  if (definitions !== undefined) {
    const expected = definitions
    checks.push([
      'crds',
      async () => checkDefinitions({ client: await client(), expected, signal }),
    ])
  }
  return Promise.all(
    checks.map(([about, check]) => untilGood(() => check().catch(failedAs(about)), ports)),
  )
}

function failedAs(about: string): (error: unknown) => Finding {
  return (error) => ({
    about,
    verdict: 'bad',
    says: error instanceof Error ? error.message : String(error),
    advice: ['Check that this pod can reach the API server and that its ServiceAccount is valid.'],
  })
}
