import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  ConfigMapKind,
  DeploymentKind,
  isNotFound,
  type KubeClient,
  type KubeObject,
  SecretKind,
} from '@agents/kube'
import { type ListedObject, readChecksumList } from '../chart/checksum-list.ts'
import { checksumFile, checksumsOf, driftOf, type FindObject } from '../chart/checksum-values.ts'
import type { Digestible } from '../chart/object-digest.ts'
import { uncoveredObjects } from '../chart/uncovered-objects.ts'
import { defineCommand } from '../cli/command.ts'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { readManifests } from '../cluster/read-manifests.ts'

export const chartCommand = defineCommand({
  about:
    'Reads the list rolloutChecksums from a values file, and the objects from the cluster or from manifests. Prints checksums, never values.',
  arguments: [{ name: 'checksums', offers: ['checksums'] }],
  options: {
    values: {
      type: 'string',
      value: 'FILE',
      help: 'Values file with the list. Defaults to argocd/applications/agents/values.yaml.',
    },
    from: {
      type: 'string',
      multiple: true,
      value: 'FILE',
      help: 'Manifests to read objects from, or - for standard input. If omitted, the cluster is read.',
    },
    write: { type: 'string', value: 'FILE', help: 'Write the checksums to this values file.' },
    check: {
      type: 'string',
      value: 'FILE',
      help: 'Compare the checksums with this file and fail if they differ.',
    },
    audit: {
      type: 'boolean',
      help: 'List Secrets and ConfigMaps that pods read and that have no checksum.',
    },
    'hmac-key-file': {
      type: 'string',
      value: 'FILE',
      help: 'Key for HMAC checksums, which do not reveal whether a guessed value is right.',
    },
    ...clusterOptions,
  },
  examples: [
    {
      does: 'after a Secret has changed',
      line: 'agentctl chart checksums --write argocd/applications/agents/checksums.yaml',
    },
    {
      does: 'in a pipeline, from decrypted manifests',
      line: 'sops -d secrets.yaml | agentctl chart checksums --from - --check argocd/applications/agents/checksums.yaml',
    },
  ],
  run: async ({ values, positionals }, context) => {
    const [word = ''] = positionals
    if (word !== 'checksums') {
      throw usageFailure(`unknown subcommand ${JSON.stringify(word)}: use agentctl chart checksums`)
    }
    const path = values.values ?? 'argocd/applications/agents/values.yaml'
    const listed = readChecksumList(await read(path, context), path)
    const key = values['hmac-key-file']
    const request: ChecksumRequest = {
      ...{ listed, write: values.write, check: values.check, audit: values.audit },
      hmacKey: key === undefined ? undefined : Buffer.from((await read(key, context)).trim()),
    }
    if (values.from.length > 0) {
      const texts = await Promise.all(values.from.map((file) => readManifests(file, context)))
      return act(request, manifestSource(texts.flat()), context)
    }
    return withCluster(values, context, ({ client, namespace }) =>
      act(request, clusterSource(client, namespace, context.stop), context),
    )
  },
})

interface ChecksumRequest {
  readonly listed: readonly ListedObject[]
  readonly write: string | undefined
  readonly check: string | undefined
  readonly audit: boolean
  readonly hmacKey: Buffer | undefined
}

interface Source {
  readonly find: FindObject
  readonly deployments: () => Promise<readonly KubeObject[]>
}

async function act(
  request: ChecksumRequest,
  source: Source,
  context: CommandContext,
): Promise<number> {
  if (request.audit) return audit(request, source, context)
  const { values, missing } = await checksumsOf(request.listed, source.find, request.hmacKey)
  if (missing.length > 0) {
    const names = missing.map(({ kind, name }) => `${kind}/${name}`).join(', ')
    throw new CommandFailure(`there is no ${names}`, {
      advice: ['Create it first, or remove it from the list rolloutChecksums.'],
    })
  }
  if (request.check !== undefined)
    return check(await read(request.check, context), values, request.check, context)
  const text = checksumFile(values)
  if (request.write === undefined) {
    context.stdout.writeDocument(text)
    return exitCode.done
  }
  const path = resolve(context.workingDirectory, request.write)
  const isSame = (await readFile(path, 'utf8').catch(() => '')) === text
  if (!isSame) await writeFile(path, text)
  context.stderr.write(`${request.write} ${isSame ? 'unchanged' : 'written'}\n`)
  return exitCode.done
}

function check(
  text: string,
  values: Parameters<typeof checksumFile>[0],
  file: string,
  { stdout, stderr }: CommandContext,
): number {
  const drift = driftOf(text, values)
  for (const { object, how } of drift) stdout.write(`${object} ${how}\n`)
  if (drift.length === 0) return exitCode.done
  stderr.write(
    `${file} is out of date. Run agentctl chart checksums --write ${file} and commit it.\n`,
  )
  return exitCode.failed
}

async function audit(
  { listed }: ChecksumRequest,
  { deployments }: Source,
  { stdout, stderr }: CommandContext,
) {
  const uncovered = uncoveredObjects(await deployments(), listed)
  for (const { object, usedBy } of uncovered)
    stdout.write(`${object} used by ${usedBy.join(', ')}\n`)
  stderr.write(
    uncovered.length === 0
      ? 'Every Secret and ConfigMap that pods read is listed.\n'
      : 'Pods that read these are not restarted when they change. To restart them, add these objects to rolloutChecksums.\n',
  )
  return exitCode.done
}

function manifestSource(objects: readonly KubeObject[]): Source {
  return {
    find: async (kind, name) =>
      objects.find(
        (one) => one.kind.toLowerCase() === kind && one.metadata.name === name,
      ) as unknown as Digestible | undefined,
    deployments: async () => objects,
  }
}

function clusterSource(client: KubeClient, namespace: string, signal: AbortSignal): Source {
  return {
    find: async (kind, name) => {
      try {
        const key = { namespace, name }
        return kind === 'secret'
          ? { ...(await client.get(SecretKind, key, { signal })), kind: 'Secret' }
          : { ...(await client.get(ConfigMapKind, key, { signal })), kind: 'ConfigMap' }
      } catch (error) {
        if (isNotFound(error)) return undefined
        throw error
      }
    },
    deployments: async () => {
      const labelSelector = 'helm.sh/chart,app.kubernetes.io/managed-by'
      const { items } = await client.list(DeploymentKind, { namespace, labelSelector, signal })
      return items.map((one) => ({ ...one, kind: 'Deployment' }))
    },
  }
}

async function read(path: string, { workingDirectory }: CommandContext): Promise<string> {
  try {
    return await readFile(resolve(workingDirectory, path), 'utf8')
  } catch (cause) {
    throw usageFailure(`${path} cannot be read: ${(cause as Error).message}`)
  }
}
