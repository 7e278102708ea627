import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { SecretMask } from '../../run-contract/secrets/secret-mask.ts'
import { findTokens } from '../../run-contract/secrets/token-formats.ts'
import { localEnvironment } from '../vcs/git-environment.ts'

interface PatchOptions {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** If omitted, the repository was empty. */
  readonly from: string | undefined
  readonly to: string
  readonly mask: SecretMask
}

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const largestPatch = 8 * 1024 * 1024
const start = 'diff --git '

/**
 * The changes as text, without messages and earlier commits. Files with a token or the value of a Secret are left out
 * as a whole: the lines around a key may belong to it. Undefined if nothing can be shown.
 */
export async function refusedPatch(options: PatchOptions): Promise<Buffer | undefined> {
  const { mask } = options
  if (mask.hidesAll) return undefined
  const { bytes, isWhole } = await diff(options)
  const sections = split(bytes)
  // Half of a token looks like none.
  if (!isWhole) sections.pop()
  const shown = sections.map((section) => {
    const what = secretIn(section.toString('utf8'), mask)
    return what === undefined ? section : notice(`${nameIn(section, mask)} contains ${what}`)
  })
  if (!isWhole) shown.push(notice('the rest, since the changes are too large'))
  return shown.length === 0 ? undefined : Buffer.concat(shown)
}

function notice(what: string): Buffer {
  return Buffer.from(`# not kept: ${what}\n`)
}

function secretIn(text: string, mask: SecretMask): string | undefined {
  if (mask(text) !== text) return 'the value of a Secret of the run'
  return findTokens(text)[0]?.what
}

function nameIn(section: Buffer, mask: SecretMask): string {
  const line = section.subarray(0, section.indexOf('\n')).toString('utf8')
  const name = line.slice(line.indexOf(' b/') + 3)
  const isPlain = line.includes(' b/') && secretIn(line, mask) === undefined
  return isPlain ? name : 'a file whose name is not shown'
}

/** One part for each file. Lines of files have a character before them, so that none looks like a start. */
function split(bytes: Buffer): Buffer[] {
  const starts: number[] = []
  let at = bytes.subarray(0, start.length).toString() === start ? 0 : -1
  while (at >= 0) {
    starts.push(at)
    const next = bytes.indexOf(`\n${start}`, at)
    at = next < 0 ? -1 : next + 1
  }
  return starts.map((from, index) => bytes.subarray(from, starts[index + 1]))
}

async function diff({ folder, env, from = emptyTree, to }: PatchOptions) {
  const plain = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '--src-prefix=a/']
  const args = ['diff', ...plain, '--dst-prefix=b/', '--full-index', from, to, '--']
  const child = spawn('git', args, {
    cwd: folder,
    env: localEnvironment(env),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close')
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > largestPatch) break
    chunks.push(chunk)
  }
  child.kill()
  const [code] = (await ended) as [number | null]
  return { bytes: Buffer.concat(chunks), isWhole: size <= largestPatch && code === 0 }
}
