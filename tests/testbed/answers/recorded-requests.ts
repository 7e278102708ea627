import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One request and what the real server answered. The requests of the file are sent in its order: some build on others. */
export interface RecordedRequest {
  readonly because: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** `application/json` unless said. */
  readonly type?: string
  readonly answer?: unknown
}

export const recordingPath = join(import.meta.dirname, 'recorded-answers.jsonl')

export const readRecording = async (): Promise<RecordedRequest[]> => {
  const lines = (await readFile(recordingPath, 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as RecordedRequest)
}
