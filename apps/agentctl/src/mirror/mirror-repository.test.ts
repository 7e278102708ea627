import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mirrorRepository } from './mirror-repository.ts'

const temporary = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'agents-mirror-repository-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A server that answers whoever wants to push in this way. */
const serverThatSays = async (status: number): Promise<string> => {
  const server = createServer((request, response) => {
    const isPush = request.url?.endsWith('/info/refs?service=git-receive-pack') === true
    response.writeHead(isPush ? status : 500).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/record.git`
}

describe('a mirror', () => {
  test('in a folder that is not there is made, and found again', async () => {
    const folder = await temporary()
    const repository = { url: `file://${folder}/record.git`, needsCredentials: false }
    expect(await mirrorRepository('record.git', folder)).toEqual(repository)
    expect(await readdir(join(folder, 'record.git'))).toContain('HEAD')
    expect(await mirrorRepository('record.git', folder)).toEqual(repository)
  })

  test('is not put where other things are', async () => {
    const folder = await temporary()
    await writeFile(join(folder, 'letters.txt'), 'dear …')
    await expect(mirrorRepository('.', folder)).rejects.toThrow(/holds other things/)
  })

  test.each([
    [200, false, 'everybody may push'],
    [401, true, 'it wants to know who comes'],
    [404, false, 'there is no such repository, which is told later'],
  ])(
    'on a server of this machine that says %d needs credentials: %s, because %s',
    async (status, needsCredentials) => {
      const url = await serverThatSays(status)
      expect(await mirrorRepository(url, '/')).toEqual({ url, needsCredentials })
    },
  )

  test.each([
    ['ssh://git@127.0.0.1/record.git', true],
    ['git@127.0.0.1:record.git', true],
    ['file:///srv/record.git', false],
    // Nobody answers there.
    ['https://127.0.0.1:1/record.git', true],
    ['http://127.0.0.1:1/record.git', false],
  ])('at %s needs credentials: %s', async (url, needsCredentials) => {
    expect(await mirrorRepository(url, '/')).toEqual({ url, needsCredentials })
  })

  test.each([
    ['http://git.example.test/record.git', /everybody on the way could read/],
    ['https://user:hunter2@127.0.0.1/record.git', /^(?!.*hunter2).*it holds a password/],
    ['ftp://127.0.0.1/record.git', /ftp is none of https, ssh and file/],
    ['https://127.0.0.1/', /it names no repository/],
  ])('at %s is refused', async (url, message) => {
    await expect(mirrorRepository(url, '/')).rejects.toThrow(message)
  })
})
