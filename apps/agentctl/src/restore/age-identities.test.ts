import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateAgeKey } from '@agents/git'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ageIdentities } from './age-identities.ts'

let home: string
const keys: string[] = []

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'agentctl-keys-'))
  for (let count = 0; count < 4; count += 1) keys.push((await generateAgeKey()).identity)
  await mkdir(join(home, 'config/sops/age'), { recursive: true })
  await writeFile(join(home, 'config/sops/age/keys.txt'), `# mine\n${keys[0]}\n`)
  await writeFile(join(home, 'named.txt'), `${keys[1]}\n`)
  await writeFile(join(home, 'flag.txt'), `${keys[3]}\n`)
  await writeFile(join(home, 'broken.txt'), 'AGE-SECRET-KEY-1BROKEN\n')
})
afterAll(() => rm(home, { recursive: true, force: true }))

function found(given: string | undefined, environment: Record<string, string>) {
  return ageIdentities(given, { home, workingDirectory: home, environment })
}

test('the keys come from where sops looks for them', async () => {
  const environment = {
    SOPS_AGE_KEY: keys[2] ?? '',
    SOPS_AGE_KEY_FILE: 'named.txt',
    XDG_CONFIG_HOME: join(home, 'config'),
  }
  expect(await found(undefined, environment)).toEqual([keys[2], keys[1], keys[0]])
  expect(await found('flag.txt', environment)).toEqual([keys[3]])
  expect(await found(undefined, {})).toEqual([])
})

test('a file that is missing or not a key is reported without its content', async () => {
  await expect(found('missing.txt', {})).rejects.toThrow(
    'the age key file missing.txt cannot be read: ENOENT',
  )
  await expect(found(undefined, { SOPS_AGE_KEY_FILE: 'broken.txt' })).rejects.toThrow(
    'the age key in broken.txt cannot be used: an age identity is not valid',
  )
})
