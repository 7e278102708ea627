import type { Finding } from './finding.ts'
import { whyUnreachable } from './why-unreachable.ts'

const answerMs = 5_000

/** Checks the readiness endpoint of a process of the platform. */
export async function checkHttp(url: URL, signal: AbortSignal): Promise<Finding> {
  const about = 'http'
  // Without the query, which may contain credentials.
  const place = `${url.origin}${url.pathname}`
  const bad = (says: string, advice: string): Finding => ({
    about,
    verdict: 'bad',
    says: `${place}: ${says}`,
    advice: [advice],
  })
  let response: Response
  let body: string
  try {
    response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      redirect: 'manual',
    })
    body = await response.text()
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
  if (response.status !== 200) {
    return bad(
      `the server responded with status ${response.status}`,
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

/** The error of fetch itself has no details. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message : String(cause)
}
