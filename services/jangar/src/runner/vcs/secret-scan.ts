import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { searchableTexts } from '../../run-contract/secrets/searchable-texts.ts'
import { spellingsOf } from '../../run-contract/secrets/secret-spellings.ts'
import { TextSearch } from '../../run-contract/secrets/text-search.ts'
import { localEnvironment } from './git-environment.ts'

interface ScanOptions {
  readonly gitFolder: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Commits whose objects are new, and those whose objects are not. */
  readonly from: string
  readonly known: readonly string[]
  readonly secrets: readonly string[]
}

const shortestSecret = 6

/** `unsearchable`: the secrets are too large to be searched for. */
export type ScanVerdict = 'clean' | 'incomplete' | 'secret' | 'unsearchable'

/** Searches every new object, commits and trees included, for the values. `incomplete` if objects are missing. */
export async function scanNewObjects(options: ScanOptions): Promise<ScanVerdict> {
  const { gitFolder, env, from, known } = options
  const needles = needlesOf(options.secrets)
  if (needles === undefined) return 'unsearchable'
  const childEnv = { ...localEnvironment(env), GIT_DIR: gitFolder }
  const list = spawn(
    'git',
    ['rev-list', '--objects', '--no-object-names', from, ...known.map((one) => `^${one}`)],
    { env: childEnv, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const read = spawn('git', ['cat-file', '--batch', '--buffer'], {
    env: childEnv,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ends = Promise.all([exitOf(list), exitOf(read)])
  read.stdin.on('error', () => undefined)
  list.stdout.pipe(read.stdin)
  const hasSecret = await containsAny(read.stdout, needles)
  if (hasSecret) {
    list.kill('SIGKILL')
    read.kill('SIGKILL')
  }
  const codes = await ends
  if (hasSecret) return 'secret'
  return codes.every((code) => code === 0) ? 'clean' : 'incomplete'
}

async function exitOf(child: ReturnType<typeof spawn>): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

/** The spellings of the secrets, each character standing for one byte. Undefined if they are too long. */
function needlesOf(secrets: readonly string[]): string[] | undefined {
  return searchableTexts(spellingsIn(secrets))
}

function* spellingsIn(secrets: readonly string[]): Generator<string> {
  for (const line of secrets.flatMap((secret) => secret.split('\n'))) {
    const secret = line.trim()
    if (secret.length < shortestSecret) continue
    for (const text of spellingsOf(secret)) yield Buffer.from(text).toString('latin1')
  }
}

async function containsAny(stream: Readable, needles: readonly string[]): Promise<boolean> {
  const search = new TextSearch(needles)
  const overlap = needles.reduce((most, { length }) => Math.max(most, length - 1), 0)
  let tail = ''
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const text = tail + chunk.toString('latin1')
    if (search.matches(text)) return true
    tail = text.slice(Math.max(0, text.length - overlap))
  }
  return false
}
