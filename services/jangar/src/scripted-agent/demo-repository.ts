import { appendFile, mkdir, realpath, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Git } from '../runner/vcs/git.ts'
import { inWorkspace } from '../runner/workspace/workspace-path.ts'

interface Change {
  readonly file: string
  readonly line: string
  readonly subject: string
}

export interface DemoRepository {
  /** Commits one more line in a file; returns the new commit, shortened. */
  commitLine(change: Change): Promise<string>
}

// Only where the environment does not name an author.
const defaultAuthor = {
  GIT_AUTHOR_NAME: 'Scripted Agent',
  GIT_AUTHOR_EMAIL: 'scripted-agent@example.invalid',
  GIT_COMMITTER_NAME: 'Scripted Agent',
  GIT_COMMITTER_EMAIL: 'scripted-agent@example.invalid',
}

type Environment = Readonly<Record<string, string | undefined>>

interface OpenOptions {
  readonly folder: string
  readonly env: Environment
  readonly gitIn: (folder: string) => Git
}

/** The repository whose top is the folder, or a new one below it; never one that the folder merely lies in. */
export async function openDemoRepository(options: OpenOptions): Promise<DemoRepository> {
  const { folder, env, gitIn } = options
  const author = { ...defaultAuthor, ...pick(env, Object.keys(defaultAuthor)) }
  const inside = await gitIn(folder).run(['rev-parse', '--show-toplevel'])
  const isTop = inside.code === 0 && inside.stdout.trim() === (await realpath(folder))
  const root = isTop ? folder : join(folder, 'repository')
  const git = gitIn(root)
  const mustRun = async (...args: readonly string[]) => {
    const result = await git.run(args, author)
    if (result.code === 0) return result.stdout.trim()
    throw new Error(`git ${args[0]} failed: ${result.errorText}`)
  }
  if (!isTop) {
    await mkdir(root, { recursive: true })
    await mustRun('init', '--quiet', '--initial-branch=main')
    await writeFile(
      join(root, 'README.md'),
      '# Demo\n\nA repository for the scripted agent to work in.\n',
    )
    await mustRun('add', '--all')
    await mustRun('commit', '--quiet', '--message=Begin')
  }
  return {
    async commitLine({ file, line, subject }) {
      const place = inWorkspace(root, file)
      if (place === undefined) throw new Error(`${file} is outside the repository`)
      await mkdir(dirname(place), { recursive: true })
      await appendFile(place, `${line}\n`)
      await mustRun('add', '--', place)
      await mustRun('commit', '--quiet', `--message=${subject}`)
      return mustRun('rev-parse', '--short', 'HEAD')
    },
  }
}

function pick(env: Environment, names: readonly string[]): Record<string, string> {
  const found = names.flatMap((name) => {
    const value = env[name]
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found)
}
