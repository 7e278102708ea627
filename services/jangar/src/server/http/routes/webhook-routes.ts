import { createHash } from 'node:crypto'
import type { Clock } from '@agents/controller'
import { parseJson } from '@agents/kube'
import { ApiError } from '../../api/api-error.ts'
import {
  deliveryHeaders,
  deliveryIdOf,
  eventOf,
  readDelivery,
  subjectOf,
} from '../../inbox/delivery/read-delivery.ts'
import {
  isProven,
  isTimely,
  proofHeaders,
  readClaim,
  webhookProviders,
} from '../../inbox/delivery/signature.ts'
import type { Webhooks } from '../../inbox/open-webhooks.ts'
import { publicRoute, type Route } from '../route.ts'
import { BodyRoom } from './body-room.ts'
import { unprovenAnswer as unproven, webhookLimits, webhookPath } from './webhook-answers.ts'

interface WebhookPorts {
  /** If omitted, deliveries are not taken. */
  readonly webhooks: Webhooks | undefined
  readonly clock: Clock
}

const { maxBytes } = webhookLimits

const headers = Object.fromEntries(
  [...Object.values(deliveryHeaders).flatMap((names) => Object.values(names)), ...proofHeaders].map(
    (name) => [name, { schema: { type: 'string', maxLength: 1024 } as const }],
  ),
)

const answer = {
  type: 'object',
  required: ['ok'],
  properties: {
    ok: { const: true },
    deduped: { type: 'boolean', description: 'It was delivered before.' },
    ignored: { type: 'boolean', description: 'It is of no interest and was not stored.' },
  },
}

/** Deliveries of issue trackers. They prove themselves by a signature; a stranger costs a hash and nothing else. */
export function webhookRoutes({ webhooks, clock }: WebhookPorts): readonly Route[] {
  if (webhooks === undefined) return []
  const room = new BodyRoom(64 * maxBytes)
  return [
    publicRoute({
      method: 'POST',
      path: `${webhookPath}{provider}/{namespace}/{name}`,
      id: 'receiveWebhook',
      summary: 'Takes a delivery of an issue tracker for an ImplementationSource.',
      description:
        'The delivery is signed with the secret of the source. It is answered with 202 when it is on disk, and processed afterwards.',
      headers,
      body: {
        ...{ form: 'stream', contentType: 'application/json', maxBytes },
        schema: { type: 'object' },
      },
      answers: {
        200: { description: 'It was delivered before; or as 202, for Linear.', schema: answer },
        202: { description: 'It is stored, or of no interest.', schema: answer },
        401: { description: 'It is not signed by the secret of the source.' },
      },
      handle: async ({ path, headers: given, stream }, isOf) => {
        const provider = webhookProviders.find((one) => one === path.provider)
        const claim = provider && readClaim(provider, given)
        // The body is not read, so the connection cannot be used again.
        if (provider === undefined || claim === undefined) {
          return { ...unproven, headers: { connection: 'close' } }
        }
        return await room.read(stream, async (body) => {
          const { namespace = '', name = '' } = path
          const source = webhooks.secrets.find(provider, namespace, name)
          if (source === 'unknown') throw unavailable('the sources are being read; send it again')
          if (!isProven(claim, body, source?.secrets ?? []) || source === undefined) return unproven
          // No user of the cluster has such a name.
          isOf(`system:webhook:${provider}`)
          const event = eventOf(provider, given)
          const payload = parsed(body)
          if (!isTimely(provider, payload, clock.now(), given)) {
            throw new ApiError('Unauthenticated', 'the delivery is not from now')
          }
          const read = readDelivery(provider, event, payload)
          // Linear sends again whatever is not answered with 200, and disables the webhook at last.
          const taken = provider === 'linear' ? 200 : 202
          if (read.kind === 'ignored') return { status: taken, json: { ok: true, ignored: true } }
          if (read.kind === 'invalid') throw new ApiError('BadRequest', read.why)
          const isNew = await webhooks.store({
            ...{ sourceUid: source.uid, namespace, source: name, provider, event },
            deliveryId: deliveryIdOf(provider, given),
            subject: subjectOf(read),
            digest: digestOf(provider, { event, id: deliveryIdOf(provider, given), body }),
            payload: body,
          })
          return isNew
            ? { status: taken, json: { ok: true } }
            : { status: 200, json: { ok: true, deduped: true } }
        })
      },
    }),
  ]
}

/**
 * What is the same when a delivery comes again. Services do not sign identifiers of deliveries: whoever recorded one
 * could change it. Of generic deliveries it is signed, and the same content may be sent twice on purpose.
 */
function digestOf(
  provider: string,
  { event, id, body }: { event: string; id: string | undefined; body: Buffer },
): Buffer {
  const hash = createHash('sha256').update(`${event}\n`)
  return (provider === 'generic' ? hash.update(`id ${id}`) : hash.update(body)).digest()
}

function unavailable(message: string): ApiError {
  return new ApiError('Unavailable', message, { retryAfterMs: 5000 })
}

function parsed(body: Buffer): object {
  try {
    const value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Answered below.
  }
  throw new ApiError('BadRequest', 'the body is not a JSON object in UTF-8')
}
