import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  isProven,
  readClaim,
  type WebhookHeaders,
  type WebhookProvider,
  webhookProviders,
} from '../../inbox/delivery/signature.ts'
import type { Webhooks } from '../../inbox/open-webhooks.ts'
import { cutRequest } from '../http-version.ts'
import { standardHeaders } from '../send-answer.ts'
import { unprovenAnswer, webhookLimits, webhookPath } from './webhook-answers.ts'

/** Takes a request before anything else is done for it. False if it leaves it to the others. */
export type Door = (
  request: IncomingMessage,
  response: ServerResponse,
  /** Goes on with the request, whose body was read. */
  proceed: (body: Buffer) => void,
) => boolean

/** How long the body of a stranger may take. */
const longestMs = 10_000
const mostPending = 64 * webhookLimits.maxBytes

const text = `${JSON.stringify(unprovenAnswer.json)}\n`
const fixedHeaders = Object.entries({
  ...standardHeaders,
  'content-type': 'application/json; charset=utf-8',
  'content-length': String(Buffer.byteLength(text)),
}).flat()

/**
 * Turns away deliveries with a wrong signature, as cheaply as Node can: a flood of them is what a stranger can send.
 * Whatever else is wrong with a request, and whatever is right, is left to the route, which checks the signature, too.
 */
export function webhookDoor({ secrets }: Pick<Webhooks, 'secrets'>): Door {
  let pending = 0
  return (request, response, proceed) => {
    const target = targetOf(request)
    if (target === undefined) return false
    const { provider, namespace, name, length } = target
    const claim = readClaim(provider, request.headers as WebhookHeaders)
    if (claim === undefined || pending + length > mostPending) return false
    pending += length
    const chunks: Buffer[] = []
    let isOver = false
    let late: NodeJS.Timeout | undefined
    const end = (): void => {
      if (isOver) return
      isOver = true
      pending -= length
      clearTimeout(late)
    }
    // Most bodies come with their head, and need no timer.
    setImmediate(() => {
      if (!isOver) late = setTimeout(() => cutRequest(request), longestMs)
    })
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('close', end)
    request.once('end', () => {
      end()
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
      const source = secrets.find(provider, namespace, name)
      if (source === 'unknown') return proceed(body)
      if (isProven(claim, body, source?.secrets ?? [])) return proceed(body)
      response.writeHead(401, ['x-request-id', randomUUID(), ...fixedHeaders])
      response.end(text)
    })
    return true
  }
}

interface Target {
  readonly provider: WebhookProvider
  readonly namespace: string
  readonly name: string
  /** Of the body, as the sender says: Node reads no more. */
  readonly length: number
}

function targetOf({ method, url = '', headers }: IncomingMessage): Target | undefined {
  if (method !== 'POST' || !url.startsWith(webhookPath)) return undefined
  const { 'content-type': type = '' } = headers
  if (type !== 'application/json' && !type.startsWith('application/json;')) return undefined
  const length = Number(headers['content-length'])
  if (!(length > 0 && length <= webhookLimits.maxBytes)) return undefined
  const parts = url.slice(webhookPath.length).split('/')
  const [given, namespace = '', name = ''] = parts
  const provider = webhookProviders.find((one) => one === given)
  return parts.length === 3 && provider !== undefined
    ? { provider, namespace, name, length }
    : undefined
}
