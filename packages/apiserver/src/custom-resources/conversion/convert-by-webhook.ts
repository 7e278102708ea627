import { randomUUID } from 'node:crypto'
import { type KubeObject, parseApiVersion, parseJson, stringifyJson } from '@agents/kube'
import { isJsonObject } from '../../json/json-value.ts'
import { ApiError, unknownKind } from '../../status/api-error.ts'
import type { WebhookClient } from './webhook-client.ts'

/** Objects, and bytes of their JSON, that are sent in one review. */
const objectsAtOnce = 500
const bytesAtOnce = 4 * 1024 * 1024

/** Converts objects of one kind to `apiVersion`, in order. Throws a 500 with upstream's message if that fails. */
export async function convertByWebhook(
  client: WebhookClient,
  reviewVersions: readonly string[],
  objects: readonly KubeObject[],
  apiVersion: string,
): Promise<KubeObject[]> {
  const version = reviewVersions.find((each) => each === 'v1' || each === 'v1beta1')
  if (version === undefined) throw failed('no supported conversion review versions')
  const converted: KubeObject[] = []
  for (const batch of batches(objects)) {
    converted.push(...(await convertBatch(client, version, batch, apiVersion)))
  }
  return converted
}

interface Batch {
  readonly objects: KubeObject[]
  readonly texts: string[]
}

function* batches(objects: readonly KubeObject[]): Generator<Batch> {
  let batch: Batch = { objects: [], texts: [] }
  let bytes = 0
  for (const object of objects) {
    const text = stringifyJson(object)
    const isFull = batch.objects.length === objectsAtOnce || bytes + text.length > bytesAtOnce
    if (isFull && batch.objects.length > 0) {
      yield batch
      batch = { objects: [], texts: [] }
      bytes = 0
    }
    batch.objects.push(object)
    batch.texts.push(text)
    bytes += text.length
  }
  if (batch.objects.length > 0) yield batch
}

async function convertBatch(
  client: WebhookClient,
  version: 'v1' | 'v1beta1',
  { objects, texts }: Batch,
  apiVersion: string,
): Promise<KubeObject[]> {
  const uid = randomUUID()
  const reviewVersion = `apiextensions.k8s.io/${version}`
  const desired = JSON.stringify(apiVersion)
  const body = `{"kind":"ConversionReview","apiVersion":"${reviewVersion}","request":{"uid":"${uid}","desiredAPIVersion":${desired},"objects":[${texts.join(',')}]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}`
  const name = kindText(objects[0])
  let results: readonly unknown[]
  try {
    const review = parseJson(await client.post(Buffer.from(body)))
    results = resultsOf(review, version === 'v1' ? { reviewVersion, uid } : undefined)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw failed(`conversion webhook for ${name} failed: ${why}`)
  }
  if (results.length !== objects.length) {
    const counts = `${results.length} objects, expected ${objects.length}`
    throw failed(`conversion webhook for ${name} returned ${counts}`)
  }
  return objects.map((object, index) => {
    const where =
      objects.length === 1 ? 'invalid object' : `invalid converted object at index ${index}`
    try {
      return checked(object, results[index], apiVersion)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const position = error instanceof WrongType && objects.length === 1 ? ' at index 0' : ''
      throw failed(`conversion webhook for ${name} returned ${where}${position}: ${why}`)
    }
  })
}

/** The converted object has another version or kind than was requested. */
class WrongType extends Error {}

function failed(message: string): ApiError {
  return new ApiError(500, '', message)
}

/** As Go prints it: `example.dev/v1, Kind=Widget`. */
function kindText(object: KubeObject | undefined): string {
  return `${object?.apiVersion ?? ''}, Kind=${object?.kind ?? ''}`
}

/** The objects of a successful response. Reviews of v1beta1 are not compared with their request, as upstream does. */
function resultsOf(
  review: unknown,
  sent: { reviewVersion: string; uid: string } | undefined,
): readonly unknown[] {
  if (!isJsonObject(review)) throw new Error('the answer is not a ConversionReview')
  const { apiVersion, kind, response } = review
  if (sent !== undefined && (apiVersion !== sent.reviewVersion || kind !== 'ConversionReview')) {
    throw new Error(unknownKind(String(kind ?? ''), String(apiVersion ?? '')))
  }
  if (!isJsonObject(response)) throw new Error('no response provided')
  if (sent !== undefined && response.uid !== sent.uid) {
    throw new Error(`expected response.uid="${sent.uid}", got "${String(response.uid ?? '')}"`)
  }
  const result = isJsonObject(response.result) ? response.result : {}
  if (result.status !== 'Success') {
    const message = typeof result.message === 'string' ? result.message : ''
    throw new Error(
      message === ''
        ? `response.result.status was '${String(result.status ?? '')}', not 'Success'`
        : message,
    )
  }
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : []
}

/** The converted object. A webhook cannot change the identity, or metadata other than labels and annotations. */
function checked(original: KubeObject, result: unknown, apiVersion: string): KubeObject {
  if (!isJsonObject(result)) throw new Error('not an object')
  const { metadata } = result
  if (result.apiVersion !== apiVersion) {
    const [expected, received] = [apiVersion, String(result.apiVersion ?? '')].map(
      (text) => `${parseApiVersion(text).group}/${parseApiVersion(text).version}`,
    )
    throw new WrongType(`invalid groupVersion (expected ${expected}, received ${received})`)
  }
  if (result.kind !== original.kind) {
    const received = String(result.kind ?? '')
    throw new WrongType(`invalid kind (expected ${original.kind}, received ${received})`)
  }
  if (!isJsonObject(metadata)) throw new Error('missing metadata in converted object')
  for (const [field, name] of identity) {
    const [before, after] = [original.metadata[field] ?? '', metadata[field] ?? '']
    if (before !== after) {
      throw new Error(`must have the same ${name}: ${before} != ${String(after)}`)
    }
  }
  const { labels: _labels, annotations: _annotations, ...kept } = original.metadata
  return {
    ...(result as unknown as KubeObject),
    metadata: { ...kept, ...texts(metadata, 'labels'), ...texts(metadata, 'annotations') },
  }
}

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const

function texts(metadata: Record<string, unknown>, field: string): Record<string, object> {
  const value = metadata[field]
  if (value === undefined || value === null) return {}
  if (!isJsonObject(value) || Object.values(value).some((one) => typeof one !== 'string')) {
    throw new Error(`invalid metadata.${field} in converted object`)
  }
  return { [field]: value }
}
