import { execFile } from 'node:child_process'
import { chmod, cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, matchesGlob, relative } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../../..')

export interface Recipe {
  /** Paths copied from the checkout into the working directory, in order. */
  readonly copied: readonly string[]
  /** What the stage of the console copies from the checkout, and the shell command that builds it. */
  readonly console: { readonly copied: readonly string[]; readonly build: string }
  /** The command that installs the packages. */
  readonly install: readonly string[]
  /** The shell command that fills the compile cache. */
  readonly compile: string
  readonly user: string
  readonly environment: Readonly<Record<string, string>>
  readonly command: readonly string[]
}

/** The steps of the Dockerfile that can be performed without Docker. */
export async function readRecipe(): Promise<Recipe> {
  const text = (await readFile(join(root, 'Dockerfile'), 'utf8')).replaceAll(/\\\n/g, ' ')
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/))
  const image = lines.findLastIndex(([first]) => first === 'FROM')
  const among = (some: readonly string[][]) => (word: string) =>
    some.filter(([first]) => first === word).map(([, ...rest]) => rest)
  const of = among(lines.slice(image))
  const ofConsole = among(lines.slice(0, image))
  const [install = []] = of('RUN').filter(([program]) => program === 'npm')
  return {
    copied: of('COPY').flatMap((words) => fromCheckout(words)),
    console: {
      copied: ofConsole('COPY').flatMap((words) => fromCheckout(words)),
      build: ofConsole('RUN')[0]?.join(' ') ?? '',
    },
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

/** The sources of a COPY; of one from another stage, none. */
function fromCheckout(words: readonly string[]): readonly string[] {
  return words[0]?.startsWith('--from=') ? [] : words.slice(0, -1)
}

/** The working directory in the Dockerfile. */
const workingDirectory = '/opt/agents'

/** The environment of the image, for a copy of it in another directory. */
export function environmentIn(recipe: Recipe, directory: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(recipe.environment).map(([name, value]) => [
      name,
      value.replace(workingDirectory, directory),
    ]),
  )
}

/** The working directory of the image, in a folder that all users can read and only its owner can write. */
export async function buildImage(recipe: Recipe, npm: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'agents-image-'))
  await chmod(directory, 0o755)
  await copyFrom(recipe.copied, directory)
  await promisify(execFile)(npm, [...recipe.install.slice(1), '--prefer-offline'], {
    cwd: directory,
  })
  const stage = await mkdtemp(join(tmpdir(), 'agents-image-console-'))
  try {
    await copyFrom(recipe.console.copied, stage)
    await promisify(execFile)('sh', ['-c', recipe.console.build], { cwd: stage })
    const built = 'apps/console/dist'
    await cp(join(stage, built), join(directory, built), { recursive: true })
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
  return directory
}

async function copyFrom(paths: readonly string[], directory: string): Promise<void> {
  const ignored = await ignoredPatterns()
  for (const path of paths) {
    await cp(join(root, path), join(directory, path), {
      recursive: true,
      filter: (source) => !ignored.some((glob) => matchesGlob(relative(root, source), glob)),
    })
  }
}

/** The patterns of .dockerignore that exclude files again; its first lines exclude everything that is not listed. */
async function ignoredPatterns(): Promise<string[]> {
  const lines = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n')
  return lines.filter((line) => line.startsWith('**/')).flatMap((glob) => [glob, `${glob}/**`])
}

function assignment(word: string): [string, string] {
  const [name = '', value = ''] = word.split('=')
  return [name, value]
}
