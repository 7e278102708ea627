import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { normalizeAnswer } from './normalize-answer.ts'
import type { RecordedRequest } from './recorded-requests.ts'

export interface AnswerSource {
  readonly url: string
  readonly caPem: string
  readonly adminToken: string
}

/** Sends the requests one at a time and returns the normalized answers. */
export async function sendRequests(
  source: AnswerSource,
  requests: readonly RecordedRequest[],
): Promise<unknown[]> {
  await makeAccount(source)
  const answers: unknown[] = []
  for (const one of requests) {
    const { status, body } = await send(source, one)
    answers.push(normalizeAnswer({ status, body }))
  }
  return answers
}

/** Pods need the service account that a controller would create. */
async function makeAccount(source: AnswerSource): Promise<void> {
  const path = '/api/v1/namespaces/default/serviceaccounts'
  const { status } = await send(source, {
    because: 'pods run as it',
    method: 'POST',
    path,
    body: { metadata: { name: 'default' } },
  })
  if (status !== 201 && status !== 409) throw new Error(`no service account: ${status}`)
}

function send(
  { url, caPem, adminToken }: AnswerSource,
  { method, path, body, type = 'application/json' }: RecordedRequest,
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${adminToken}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': type }),
    }
    const sent = request(new URL(path, url), { method, ca: caPem, headers }, (response) => {
      text(response).then(
        (answer) => resolve({ status: response.statusCode ?? 0, body: parsed(answer) }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer) as unknown
  } catch {
    return answer
  }
}
