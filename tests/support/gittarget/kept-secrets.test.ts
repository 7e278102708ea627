import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BareRemote } from '../../../packages/git/src/testing/bare-remote.ts'
import { KeptSecrets } from './kept-secrets.ts'

const word = 'hunter2-hunter2'
const encoded = Buffer.from(word).toString('base64')

let directory: string
let remote: BareRemote
let secrets: KeptSecrets
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agents-kept-secrets-'))
  remote = await BareRemote.create()
  secrets = new KeptSecrets()
  secrets.add({ password: word, username: 'everybody-knows', short: '1234' })
})
afterEach(async () => {
  await remote.remove()
  await rm(directory, { recursive: true, force: true })
})

describe('finding the values of a Secret', () => {
  test('finds them in text, plain and as the API encodes them, and nothing else', () => {
    expect(secrets.in(`a ${word} b`)).toEqual([word])
    expect(secrets.in(`a ${encoded} b`)).toEqual([encoded])
    expect(secrets.in('everybody-knows 1234')).toEqual([])
    expect(secrets.in('AGE-SECRET-KEY-1QQQ')).toHaveLength(1)
  })

  test('finds them in a file', async () => {
    expect(await secrets.inFiles(directory)).toEqual([])
    await writeFile(join(directory, 'file'), `x${word}`)
    expect(await secrets.inFiles(directory)).toEqual([join(directory, 'file')])
  })

  test('finds them in a repository, also in unreachable objects', async () => {
    await remote.commit('main', { a: 'harmless '.repeat(100) })
    expect(secrets.inRepository(remote.path)).toEqual([])
    await remote.commit('gone', { b: `${'compressed '.repeat(100)}${encoded}` })
    await remote.git('update-ref', '-d', 'refs/heads/gone')
    await remote.git('repack', '-q', '-a', '-d', '-k')
    expect(secrets.inRepository(remote.path)).toEqual([encoded])
    expect(await secrets.inFiles(remote.directory)).toEqual([remote.path])
  })

  test.runIf(process.platform === 'linux')(
    'finds them in the command line of a process that the test started',
    async () => {
      const child = spawn('sh', ['-c', 'read line', 'name', word])
      const started = new Promise((resolve) => child.once('spawn', resolve))
      const ended = new Promise((resolve) => child.once('exit', resolve))
      await started
      expect(await secrets.inCommandLines()).toHaveLength(1)
      child.stdin.end()
      await ended
      expect(await secrets.inCommandLines()).toEqual([])
    },
  )
})
