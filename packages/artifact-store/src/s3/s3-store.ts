import { Readable } from 'node:stream'
import type { ArtifactStore, Content } from '../artifact-store.ts'
import { checkedBody } from '../checked-body.ts'
import { addressAt, type ContentAddress, pathOf } from '../content-address.ts'
import { StoreError } from '../store-error.ts'
import { abortUploads, putParts } from './multipart.ts'
import { partSizeOf, partsOf } from './parts.ts'
import { answerText, element, elements } from './s3-answer.ts'
import { createS3Client, type S3Client } from './s3-client.ts'
import type { S3Settings } from './s3-settings.ts'

/** A store in a bucket of any S3. Needs a server that shows what was written at once, as S3 does since 2020. */
export function openS3Store(settings: S3Settings, pauseMs?: number): ArtifactStore {
  const { bucket, prefix } = settings
  const send = createS3Client(settings, pauseMs)
  const contentPrefix = `${prefix}content/`
  const markPrefix = `${prefix}deleting/`
  const contentKey = (address: ContentAddress) => contentPrefix + pathOf(address)
  const markKey = (address: ContentAddress) => markPrefix + pathOf(address)

  async function statContent(address: ContentAddress) {
    // In this order: a deletion that has removed its mark has removed the content before.
    if ((await sizeOf(send, markKey(address))) !== undefined) throw beingDeleted(address)
    const sizeBytes = await sizeOf(send, contentKey(address))
    return sizeBytes === undefined ? undefined : { sizeBytes }
  }

  return {
    uri: (address) => `s3://${bucket}/${contentKey(address)}`,
    async put(address, { sizeBytes, body }) {
      const key = contentKey(address)
      const { digest } = address
      const checked = checkedBody(body, { digest, sizeBytes }, 'sender')
      const parts = partsOf(checked, sizeBytes)
      if (sizeBytes > partSizeOf(sizeBytes)) await putParts(send, key, parts)
      else await putWhole(send, key, parts)
      const stored = await statContent(address)
      if (stored === undefined) throw beingDeleted(address)
      if (stored.sizeBytes !== sizeBytes) {
        throw new StoreError('BadAnswer', `PUT ${key}: S3 has ${stored.sizeBytes} bytes of it`)
      }
    },
    stat: statContent,
    get: (address) => getContent(send, contentKey(address), address),
    async delete(address, isUsed) {
      const mark = { key: markKey(address) }
      await discard(send({ method: 'PUT', ...mark, body: new Uint8Array() }))
      const used = await isUsed()
      if (!used)
        await discard(send({ method: 'DELETE', key: contentKey(address), expected: [404] }))
      await discard(send({ method: 'DELETE', ...mark, expected: [404] }))
      return !used
    },
    list: () => addressesIn(send, contentPrefix),
    interrupted: () => addressesIn(send, markPrefix),
    clean: (time) => abortUploads(send, contentPrefix, time),
  }
}

function beingDeleted({ digest }: ContentAddress): StoreError {
  return new StoreError('BeingDeleted', `the content ${digest} is being deleted; try again`)
}

async function putWhole(
  send: S3Client,
  key: string,
  parts: AsyncIterable<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  for await (const body of parts) await discard(send({ method: 'PUT', key, body }))
}

async function getContent(
  send: S3Client,
  key: string,
  { digest }: ContentAddress,
): Promise<Content | undefined> {
  const answer = await send({ method: 'GET', key, expected: [404] })
  if (answer.status === 404) {
    await requireMissingKey(answer, key)
    return undefined
  }
  const sizeBytes = lengthOf(answer, key)
  const body = checkedBody(answer.body ?? Readable.from([]), { digest, sizeBytes }, 'store')
  return { sizeBytes, body }
}

async function sizeOf(send: S3Client, key: string): Promise<number | undefined> {
  const answer = await send({ method: 'HEAD', key, expected: [404] })
  await answer.body?.cancel()
  return answer.status === 404 ? undefined : lengthOf(answer, key)
}

/** A missing bucket must not look like content that is lost. */
async function requireMissingKey(answer: Response, key: string): Promise<void> {
  const code = element(await answerText(answer, key), 'Code')
  if (code === 'NoSuchKey') return
  throw new StoreError('Refused', `GET ${key}: status 404, ${code ?? 'no reason of S3'}`)
}

function lengthOf(answer: Response, key: string): number {
  const text = answer.headers.get('content-length')
  const isS3 = answer.headers.has('etag') && text !== null && /^\d+$/.test(text)
  if (!isS3) throw new StoreError('BadAnswer', `${key}: the answer has no ETag or no length`)
  return Number(text)
}

async function* addressesIn(send: S3Client, prefix: string): AsyncGenerator<ContentAddress> {
  let token: string | undefined
  do {
    const next = token === undefined ? {} : { 'continuation-token': token }
    const answer = await send({ method: 'GET', query: { 'list-type': '2', prefix, ...next } })
    const xml = await answerText(answer, prefix)
    if (!xml.includes('<ListBucketResult')) {
      throw new StoreError('BadAnswer', `the answer about the keys of ${prefix} is no list`)
    }
    for (const entry of elements(xml, 'Contents')) {
      const key = element(entry, 'Key') ?? ''
      const address = key.startsWith(prefix) ? addressAt(key.slice(prefix.length)) : undefined
      if (address !== undefined) yield address
    }
    const previous = token
    token = element(xml, 'NextContinuationToken')
    if (token !== undefined && token === previous) {
      throw new StoreError('BadAnswer', `the list of the keys of ${prefix} does not end`)
    }
  } while (token !== undefined)
}

async function discard(sent: Promise<Response>): Promise<void> {
  const answer = await sent
  await answer.body?.cancel()
}
