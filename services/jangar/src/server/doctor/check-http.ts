import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Finding } from '../cluster-checks/finding.ts'
import type { PinnedCertificate } from './pinned-certificate.ts'
import { whyUnreachable } from './why-unreachable.ts'

const answerMs = 5_000

/** Checks the readiness endpoint of a process of the platform. */
export async function checkHttp(
  url: URL,
  signal: AbortSignal,
  pinned?: PinnedCertificate,
): Promise<Finding> {
  const about = 'http'
  // Without the query, which may contain credentials.
  const place = `${url.origin}${url.pathname}`
  const bad = (says: string, advice: string): Finding => ({
    about,
    verdict: 'bad',
    says: `${place}: ${says}`,
    advice: [advice],
  })
  let status: number
  let body: string
  try {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
    const isPinned = pinned !== undefined && url.protocol === 'https:'
    ;({ status, body } = isPinned ? await getPinned(url, pinned, stop) : await get(url, stop))
  } catch (error) {
    const advice =
      'Check the pods of that Service (kubectl get pods,endpointslices) and the NetworkPolicies between this pod and them.'
    return bad(whyUnreachable(error) ?? `the request failed (${causeOf(error)})`, advice)
  }
  const failed = [...body.matchAll(/^\[-\](\S+) failed/gm)].map(([, name]) => name)
  if (failed.length > 0) {
    return bad(
      `not ready (${failed.join(', ')})`,
      'The log of that process contains the reason: kubectl logs of its Deployment.',
    )
  }
  if (status !== 200) {
    return bad(
      `the server responded with status ${status}`,
      'This is not a readiness endpoint of the platform. Check the Service and readinessProbe.path.',
    )
  }
  if (!/^ok$|check passed\s*$/.test(body.trim())) {
    return bad(
      'the response is not from the platform',
      'Check the selector of the Service: kubectl describe service.',
    )
  }
  return { about, verdict: 'good', says: `${place} is ready` }
}

interface Reply {
  readonly status: number
  readonly body: string
}

async function get(url: URL, signal: AbortSignal): Promise<Reply> {
  const response = await fetch(url, { signal, redirect: 'manual' })
  return { status: response.status, body: await response.text() }
}

/** As `get`, which cannot be told what to trust. */
async function getPinned(url: URL, pinned: PinnedCertificate, signal: AbortSignal): Promise<Reply> {
  const asked = httpsGet(url, { ...pinned, agent: false, signal })
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, body: await text(response) }
}

/** The error of fetch itself has no details. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message : String(cause)
}
