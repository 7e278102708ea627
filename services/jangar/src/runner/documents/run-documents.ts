import { rm, writeFile } from 'node:fs/promises'
import { text } from '@agents/config'
import { documentsPlanVariable, parseDocumentsPlan } from '../../run-contract/document-digests.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { publisherEnvironment } from '../publisher/publisher-environment.ts'
import {
  type PublisherContext,
  readPlan,
  readSettings,
  runReported,
} from '../publisher/reported-program.ts'
import { readDocuments } from './read-documents.ts'

/** The variables that `agent-checkout documents` reads. Only the controller sets them. */
const documentsEnvironment = {
  plan: text(documentsPlanVariable, { doc: 'Which documents to verify and copy, as JSON.' }),
  terminationMessagePath: publisherEnvironment.terminationMessagePath,
}

/**
 * `agent-checkout documents`: verifies the documents of a program that runs without agent-runner, and copies what it
 * has verified to a volume that nobody outside the pod can change.
 */
export function runDocuments(context: PublisherContext): Promise<number> {
  const problems: string[] = []
  const config = readSettings(documentsEnvironment, context, problems)
  const plan = config && readPlan(documentsPlanVariable, parseDocumentsPlan(config.plan), problems)
  return runReported('documents', context, {
    secrets: [],
    terminationMessagePath: config?.terminationMessagePath,
    work: async () => {
      if (plan === undefined) throw new RunFailure('InvalidSpec', problems.join('\n'))
      const digests = Object.fromEntries(plan.map(({ from, digest }) => [from, digest]))
      const read = await readDocuments(digests, (path) => path)
      if (read.problems.length > 0) {
        throw new RunFailure('DocumentsChanged', read.problems.join('\n'))
      }
      for (const { from, to } of plan) {
        // A restarted container finds files, which may be incomplete.
        await rm(to, { force: true })
        await writeFile(to, read.contents.get(from) ?? '', { flag: 'wx', mode: 0o444 })
      }
      return { message: 'the documents were verified' }
    },
  })
}
