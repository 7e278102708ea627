import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { ensureGoProgram } from '../../support/testbed/go-program.ts'

const root = join(import.meta.dirname, '../../..')
const workflows = globSync(join(root, '.github/workflows/*.yml'))
let actionlint: string | undefined

beforeAll(async () => {
  actionlint = await ensureGoProgram(join(root, 'tests/support/actionlint'))
})

async function lint(...paths: readonly string[]): Promise<string> {
  const result = promisify(execFile)(actionlint ?? '', ['-no-color', ...paths], { cwd: root })
  return result.then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
}

describe('workflows', () => {
  test('pass actionlint', async ({ skip }) => {
    skip(actionlint === undefined, 'there is no Go to build actionlint with')
    expect(workflows).toHaveLength(2)
    expect(await lint(...workflows)).toBe('')
  })

  test('that are invalid do not', async ({ skip }) => {
    skip(actionlint === undefined, 'there is no Go to build actionlint with')
    const folder = await mkdtemp(join(tmpdir(), 'agents-workflow-'))
    const path = join(folder, 'wrong.yml')
    try {
      await writeFile(path, 'on: push\njobs:\n  test:\n    run-on: ubuntu-24.04\n    steps: []\n')
      expect(await lint(path)).toContain('unexpected key "run-on"')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test.each([
    { name: 'ci', calls: '.ci/run' },
    { name: 'release', calls: 'npm run release -- ' },
  ])('$name calls $calls', ({ name, calls }) => {
    expect(readFileSync(join(root, `.github/workflows/${name}.yml`), 'utf8')).toContain(calls)
  })
})
