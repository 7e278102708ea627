import type { Finding } from './finding.ts'
import { whyUnreachable } from './why-unreachable.ts'

const answerMs = 5_000

/** Whether a process of the platform says at this address that it is ready. */
export async function checkHttp(url: URL, signal: AbortSignal): Promise<Finding> {
  const about = 'http'
  // Without what may be a credential in it.
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
      'Look at the pods behind that Service (kubectl get pods,endpointslices), and at NetworkPolicies between it and here.'
    return bad(whyUnreachable(error) ?? `the request failed (${causeOf(error)})`, advice)
  }
  const failed = [...body.matchAll(/^\[-\](\S+) failed/gm)].map(([, name]) => name)
  if (failed.length > 0) {
    return bad(
      `not ready (${failed.join(', ')})`,
      'The log of that process says why: kubectl logs of its Deployment.',
    )
  }
  if (response.status !== 200) {
    return bad(
      `answered ${response.status}`,
      'That is not a readiness endpoint of the platform: look at the Service and at readinessProbe.path.',
    )
  }
  if (!/^ok$|check passed\s*$/.test(body.trim())) {
    return bad(
      'something else than the platform answers',
      'Look at what the Service selects: kubectl describe service.',
    )
  }
  return { about, verdict: 'good', says: `${place} is ready` }
}

/** fetch says only that it failed. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message : String(cause)
}
