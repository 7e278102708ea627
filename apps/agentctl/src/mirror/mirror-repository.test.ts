import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mirrorRepository } from './mirror-repository.ts'

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-mirror-repository-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A server that answers push requests with this status. */
async function serverThatSays(status: number): Promise<string> {
  const server = createServer((request, response) => {
    const isPush = request.url?.endsWith('/info/refs?service=git-receive-pack') === true
    response.writeHead(isPush ? status : 500).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/record.git`
}

describe('a mirror', () => {
  test('in a missing folder is created, and found again', async () => {
    const folder = await temporary()
    const repository = { url: `file://${folder}/record.git`, needsCredentials: false }
    expect(await mirrorRepository('record.git', folder)).toEqual(repository)
    expect(await readdir(join(folder, 'record.git'))).toContain('HEAD')
    expect(await mirrorRepository('record.git', folder)).toEqual(repository)
  })

  test('is not created in a folder with other files', async () => {
    const folder = await temporary()
    await writeFile(join(folder, 'letters.txt'), 'dear …')
    await expect(mirrorRepository('.', folder)).rejects.toThrow(/is not empty and not a bare/)
  })

  test.each([
    [200, false, 'anonymous users may push'],
    [401, true, 'it requires authentication'],
    [404, false, 'the repository does not exist, which is reported later'],
  ])(
    'on a local server that answers %d needs credentials: %s, because %s',
    async (status, needsCredentials) => {
      const url = await serverThatSays(status)
      expect(await mirrorRepository(url, '/')).toEqual({ url, needsCredentials })
    },
  )

  test.each([
    ['ssh://git@127.0.0.1/record.git', true],
    ['git@127.0.0.1:record.git', true],
    ['file:///srv/record.git', false],
    // No server listens there.
    ['https://127.0.0.1:1/record.git', true],
    ['http://127.0.0.1:1/record.git', false],
  ])('at %s needs credentials: %s', async (url, needsCredentials) => {
    expect(await mirrorRepository(url, '/')).toEqual({ url, needsCredentials })
  })

  test.each([
    ['http://git.example.test/record.git', /would be sent unencrypted/],
    ['https://user:hunter2@127.0.0.1/record.git', /^(?!.*hunter2).*it contains a password/],
    ['ftp://127.0.0.1/record.git', /the scheme ftp is not one of https, ssh and file/],
    ['https://127.0.0.1/', /it has no path to a repository/],
  ])('at %s is rejected', async (url, message) => {
    await expect(mirrorRepository(url, '/')).rejects.toThrow(message)
  })
})
