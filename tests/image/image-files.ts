import { execFile } from 'node:child_process'
import { chmod, cp, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, matchesGlob, relative } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..', '..')

export interface Recipe {
  /** What is copied, in order, from the checkout into the working directory. */
  readonly copied: readonly string[]
  /** The command that installs packages. */
  readonly install: readonly string[]
  /** The line for the shell that compiles beforehand. */
  readonly compile: string
  readonly user: string
  readonly environment: Readonly<Record<string, string>>
  readonly command: readonly string[]
}

/** The parts of the Dockerfile that can be done without Docker. */
export async function readRecipe(): Promise<Recipe> {
  const text = (await readFile(join(root, 'Dockerfile'), 'utf8')).replaceAll(/\\\n/g, ' ')
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/))
  const of = (word: string) => lines.filter(([first]) => first === word).map(([, ...rest]) => rest)
  const [install = []] = of('RUN').filter(([program]) => program === 'npm')
  return {
    copied: of('COPY').flatMap((words) => words.slice(0, -1)),
    install: install.slice(0, install.indexOf('&&')),
    compile:
      of('RUN')
        .find((words) => words.includes('.compiled'))
        ?.join(' ') ?? '',
    user: of('USER').flat()[0] ?? 'root',
    environment: Object.fromEntries(of('ENV').flatMap((words) => words.map(assignment))),
    command: JSON.parse(of('CMD')[0]?.join(' ') ?? '[]'),
  }
}

/** Where the Dockerfile puts everything. */
const workingDirectory = '/opt/agents'

/** The variables of the image, for one that lies elsewhere. */
export function environmentIn(recipe: Recipe, directory: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(recipe.environment).map(([name, value]) => [
      name,
      value.replace(workingDirectory, directory),
    ]),
  )
}

/** The image's working directory, in a folder that everybody may read and nobody but its owner may write. */
export async function buildImage(recipe: Recipe, npm: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'agents-image-'))
  await chmod(directory, 0o755)
  const ignored = await ignoredPatterns()
  for (const path of recipe.copied) {
    await cp(join(root, path), join(directory, path), {
      recursive: true,
      filter: (source) => !ignored.some((glob) => matchesGlob(relative(root, source), glob)),
    })
  }
  await promisify(execFile)(npm, [...recipe.install.slice(1), '--prefer-offline'], {
    cwd: directory,
  })
  return directory
}

/** Those that take away from what is let in; the first lines of .dockerignore let nothing else in at all. */
async function ignoredPatterns(): Promise<string[]> {
  const lines = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n')
  return lines.filter((line) => line.startsWith('**/')).flatMap((glob) => [glob, `${glob}/**`])
}

function assignment(word: string): [string, string] {
  const [name = '', value = ''] = word.split('=')
  return [name, value]
}
