import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { localEnvironment } from '../vcs/git-environment.ts'
import { type GitPlace, recordsOf } from './git-output.ts'
import { type LinkProblem, LinkResolver, type TreeLinks } from './leaving-link.ts'

/** More than any repository has. */
const mostLinks = 100_000
/** As long as the longest path on Linux. What is longer is no target of a link. */
const longestTarget = 4096

interface Leaving {
  readonly path: string
  readonly problem: LinkProblem
}

/**
 * The first symbolic link of the commit that leads out of the repository and did not do so in one of the known commits.
 * Each link of the tree counts, whoever made it: a link that stays inside can lead out once another one has changed.
 */
export async function leavingLink(
  place: GitPlace,
  commit: string,
  known: readonly string[],
): Promise<Leaving | undefined> {
  const links = await linksOf(place, commit)
  let leaving = leavingIn(links)
  for (const one of known) {
    if (leaving.length === 0) return undefined
    const before = await linksOf(place, one)
    const left = new Set(leavingIn(before).map(({ path }) => path))
    leaving = leaving.filter(({ path }) => !left.has(path) || before.get(path) !== links.get(path))
  }
  const [first] = leaving
  return first && { ...first, path: Buffer.from(first.path, 'latin1').toString('utf8') }
}

function leavingIn(links: TreeLinks): Leaving[] {
  const resolver = new LinkResolver(links)
  return [...links.keys()].flatMap((path) => {
    const problem = resolver.problemOf(path)
    return problem === undefined ? [] : [{ path, problem }]
  })
}

async function linksOf(place: GitPlace, commit: string): Promise<TreeLinks> {
  const objects = new Map<string, string>()
  for await (const record of recordsOf(place, ['ls-tree', '-r', '-z', commit])) {
    const [, object = '', path = ''] = /^120000 blob (\w+)\t([\s\S]*)$/.exec(record) ?? []
    if (path === '') continue
    objects.set(path, object)
    if (objects.size > mostLinks) {
      throw new RunFailure(
        'PushPolicyViolated',
        `nothing was pushed: the repository has more than ${mostLinks} symbolic links`,
      )
    }
  }
  const targets = await contentsOf(place, [...new Set(objects.values())])
  return new Map([...objects].map(([path, object]) => [path, targets.get(object) ?? tooLong]))
}

/** Leads out of every tree. */
const tooLong = '/'

/** The contents of the objects that are short enough to be a target. */
async function contentsOf(
  place: GitPlace,
  objects: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (objects.length === 0) return new Map()
  const sizes = (await catFile(place, '--batch-check=%(objectname) %(objectsize)', objects))
    .split('\n')
    .map((line) => line.split(' '))
  const short = sizes.flatMap(([object = '', size]) =>
    Number(size) <= longestTarget ? object : [],
  )
  const wanted = short.filter((object) => object !== '')
  const text = wanted.length === 0 ? '' : await catFile(place, '--batch=%(objectsize)', wanted)
  const contents = new Map<string, string>()
  let at = 0
  for (const object of wanted) {
    const start = text.indexOf('\n', at) + 1
    const size = Number(text.slice(at, start))
    contents.set(object, text.slice(start, start + size))
    at = start + size + 1
  }
  return contents
}

async function catFile(
  { gitFolder, env }: GitPlace,
  format: string,
  objects: readonly string[],
): Promise<string> {
  const child = spawn('git', ['cat-file', format, '--buffer'], {
    env: { ...localEnvironment(env), GIT_DIR: gitFolder },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close')
  child.stdin.on('error', () => undefined)
  child.stdin.end(`${objects.join('\n')}\n`)
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer)
  const [code] = (await ended) as [number | null]
  if (code === 0) return Buffer.concat(chunks).toString('latin1')
  throw new RunFailure('PublishRefused', 'the submitted commits cannot be read')
}
