import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkDisk, diskFinding } from './check-disk.ts'

test.each([
  { freeMebibytes: 20_000, verdict: 'good' },
  { freeMebibytes: 1024, verdict: 'good' },
  { freeMebibytes: 1023, verdict: 'doubtful' },
  { freeMebibytes: 100, verdict: 'doubtful' },
  { freeMebibytes: 99, verdict: 'bad' },
  { freeMebibytes: 0, verdict: 'bad' },
])('$freeMebibytes MiB of free space are $verdict', ({ freeMebibytes, verdict }) => {
  const finding = diskFinding('/state', freeMebibytes * 1024 * 1024)
  expect(finding.verdict).toBe(verdict)
  expect(finding.advice === undefined).toBe(verdict === 'good')
})

test('a folder that does not exist yet is on the disk of its nearest parent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agents-disk-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { says } = await checkDisk(join(folder, 'not', 'there'))
  expect(says).toMatch(new RegExp(`^[\\d,]+ MiB are free in ${folder}$`))
})
