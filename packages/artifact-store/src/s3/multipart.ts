import { StoreError } from '../store-error.ts'
import { answerText, element, elements } from './s3-answer.ts'
import type { S3Client } from './s3-client.ts'

/** Uploads an object in parts, which becomes visible as a whole when all of them are there. */
export async function putParts(
  send: S3Client,
  key: string,
  parts: AsyncIterable<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  const begun = await send({ method: 'POST', key, query: { uploads: '' } })
  const uploadId = element(await answerText(begun, key), 'UploadId')
  if (!uploadId) throw new StoreError('BadAnswer', `POST ${key}: the answer names no upload`)
  try {
    const tags: string[] = []
    for await (const body of parts) {
      const query = { partNumber: String(tags.length + 1), uploadId }
      const answer = await send({ method: 'PUT', key, query, body })
      const tag = answer.headers.get('etag')
      if (!tag) throw new StoreError('BadAnswer', `PUT ${key}: the answer has no ETag`)
      await answer.body?.cancel()
      tags.push(tag)
    }
    await complete(send, key, uploadId, tags)
  } catch (error) {
    await abortUpload(send, key, uploadId).catch(() => undefined)
    throw error
  }
}

async function complete(
  send: S3Client,
  key: string,
  uploadId: string,
  tags: readonly string[],
): Promise<void> {
  const parts = tags.map(
    (tag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
  )
  const xml = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
  const body = new TextEncoder().encode(xml)
  const answer = await send({ method: 'POST', key, query: { uploadId }, body, expected: [404] })
  const text = await answerText(answer, key)
  // The first answer was lost if the upload is unknown; whether the object is there is asked afterwards.
  if (answer.status === 404) return
  // S3 begins its answer with status 200 before it knows.
  if (!text.includes('CompleteMultipartUploadResult')) {
    const code = element(text, 'Code') ?? 'no result'
    throw new StoreError('BadAnswer', `POST ${key}: the parts were not joined: ${code}`)
  }
}

async function abortUpload(send: S3Client, key: string, uploadId: string): Promise<void> {
  const answer = await send({ method: 'DELETE', key, query: { uploadId }, expected: [404] })
  await answer.body?.cancel()
}

/** Removes the parts of uploads that began before `time` and were not finished. */
export async function abortUploads(send: S3Client, prefix: string, time: Date): Promise<void> {
  const answer = await send({ method: 'GET', query: { uploads: '', prefix } })
  const xml = await answerText(answer, 'uploads')
  for (const upload of elements(xml, 'Upload')) {
    const key = element(upload, 'Key')
    const uploadId = element(upload, 'UploadId')
    const initiated = new Date(element(upload, 'Initiated') ?? Number.NaN)
    if (key?.startsWith(prefix) && uploadId && initiated < time) {
      await abortUpload(send, key, uploadId)
    }
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
