import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, open, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Artifact } from '@agents/jangar-api'
import { openContentApi, type ReadContent } from '../artifacts/content-api.ts'
import { artifactsOf } from '../artifacts/run-artifacts.ts'
import { defineCommand } from '../cli/command.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { namedRun } from '../run/run-name.ts'
import { serverOptions } from '../server-api/server-options.ts'

export const downloadCommand = defineCommand({
  about:
    'The command writes the files that a run left, and its output as the file log. Each is checked against its digest. Of several attempts, the newest file of a name is taken. Existing files are not overwritten.',
  arguments: [{ name: 'RUN', offers: { namesOf: 'agentruns' } }],
  options: {
    file: { type: 'string', value: 'NAME', help: 'Download only the file of this name.' },
    output: {
      type: 'string',
      short: 'o',
      value: 'FOLDER',
      help: 'Folder for the files. Defaults to the current one.',
    },
    ...serverOptions,
    ...clusterOptions,
  },
  examples: [
    { does: 'write all files of a run to a folder', line: 'agentctl download first-run -o out' },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace, connection }) => {
      const { of, name } = namedRun(positionals[0])
      const all = await artifactsOf(client, { namespace, name }, of, context.stop)
      const newest = new Map(all.map((each) => [each.spec?.source?.name ?? '', each]))
      const wanted = [...newest].filter(
        ([file]) => values.file === undefined || file === values.file,
      )
      if (wanted.length === 0) throw new CommandFailure(`run ${name} has no such artifacts`)
      const read = await openContentApi(connection, values, context)
      const folder = resolve(context.workingDirectory, values.output ?? '.')
      await mkdir(folder, { recursive: true })
      for (const [file, artifact] of wanted) {
        await download(read, artifact, safePath(folder, file))
        context.stdout.write(`${file}\n`)
      }
      return exitCode.done
    }),
})

/** Whoever may create Artifacts chooses their names. */
function safePath(folder: string, name: string): string {
  if (/^\.{0,2}$|[/\\\p{Cc}]/u.test(name)) {
    throw new CommandFailure(`${JSON.stringify(name)} is not a name for a file`)
  }
  return join(folder, name)
}

async function download(
  read: ReadContent,
  { metadata, spec }: Artifact,
  path: string,
): Promise<void> {
  const partial = `${path}.${randomUUID()}`
  const hash = createHash('sha256')
  const file = await open(partial, 'wx', 0o644)
  try {
    for await (const piece of await read(metadata)) {
      hash.update(piece)
      await file.writeFile(piece)
    }
    await file.close()
    if (`sha256:${hash.digest('hex')}` !== spec?.source?.checksum) {
      throw new CommandFailure(`artifact ${metadata.name} is not what its digest says`)
    }
    // Unlike a rename, this does not replace a file.
    await link(partial, path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? alreadyThere(path) : error
    })
  } finally {
    await file.close().catch(() => undefined)
    await rm(partial, { force: true })
  }
}

function alreadyThere(path: string): CommandFailure {
  return new CommandFailure(`${path} exists already; choose another folder with --output`)
}
