import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scanNewObjects } from './secret-scan.ts'

const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.test']

/** Scans a repository whose second commit adds a file with this content. */
function scan(content: string, secrets: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'agents-scan-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, ...author, ...args], { encoding: 'utf8' }).trim()
  git('init', '--quiet')
  git('commit', '--quiet', '--allow-empty', '--message=first')
  const known = [git('rev-parse', 'HEAD')]
  writeFileSync(join(folder, 'file'), content)
  git('add', 'file')
  git('commit', '--quiet', '--message=second')
  const from = git('rev-parse', 'HEAD')
  return scanNewObjects({ gitFolder: join(folder, '.git'), env, from, known, secrets })
}

const secret = 'pässword-1234567890'

test.each([
  { content: 'nothing of interest', verdict: 'clean' },
  { content: `x${secret}x`, verdict: 'secret' },
  { content: Buffer.from(secret).toString('base64'), verdict: 'secret' },
  { content: Buffer.from(secret).toString('hex').toUpperCase(), verdict: 'secret' },
  { content: `${'x'.repeat(65_530)}${secret}${'x'.repeat(70_000)}`, verdict: 'secret' },
])('new objects are $verdict', async ({ content, verdict }) => {
  expect(await scan(content, ['another-secret-value', secret])).toBe(verdict)
})

test('secrets that are too large to be searched for are not ignored', async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line-${index}-of-a-secret`)
  expect(await scan('nothing of interest', [lines.join('\n')])).toBe('unsearchable')
})
