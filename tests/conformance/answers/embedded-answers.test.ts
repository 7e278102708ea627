import { startApiServer } from '@agents/apiserver'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readRecording } from './recorded-requests.ts'
import { sendRequests } from './send-requests.ts'

const recording = await readRecording()

describe('the embedded server returns the recorded answers of the real one', () => {
  let answers: readonly unknown[]
  let stop: () => Promise<void>

  beforeAll(async () => {
    const server = await startApiServer({
      logger: silentLogger,
    })
    stop = () => server.stop()
    const { url, caCertificate: caPem, adminToken } = server
    answers = await sendRequests({ url, caPem, adminToken }, recording)
  })
  afterAll(() => stop?.())

  test.each(recording.map((request, index) => ({ ...request, index })))(
    '$because',
    ({ index, answer }) => {
      expect(answers[index]).toEqual(answer)
    },
  )
})
