import type { Store } from '../../store/store.ts'
import type { Definition } from '../definition.ts'
import { convertByWebhook } from './convert-by-webhook.ts'
import { addressOfService, addressOfUrl } from './service-address.ts'
import { createWebhookClient } from './webhook-client.ts'
import type { Convert } from './webhook-view.ts'

/** The conversion by the webhook of a definition; `undefined` if its versions differ in apiVersion only. */
export function definitionConversion({ spec }: Definition, store: Store): Convert | undefined {
  const { conversion } = spec
  if (conversion?.strategy !== 'Webhook') return undefined
  const { clientConfig = {}, conversionReviewVersions = [] } = conversion.webhook ?? {}
  const { url, service } = clientConfig
  const bundle = Buffer.from(clientConfig.caBundle ?? '', 'base64')
    .toString()
    .trim()
  const client = createWebhookClient(
    () => {
      if (url !== undefined) return addressOfUrl(url)
      if (service === undefined) throw new Error('neither url nor service is set')
      return addressOfService(store, service)
    },
    bundle === '' ? undefined : bundle,
  )
  return (objects, apiVersion) =>
    convertByWebhook(client, conversionReviewVersions, objects, apiVersion)
}
