import { readFile } from 'node:fs/promises'
import { type DocumentDigests, digestOf } from '../../run-contract/document-digests.ts'

interface ReadDocuments {
  /** The content of all documents, by path on this machine. Has been compared with its digest. */
  readonly contents: ReadonlyMap<string, Buffer>
  /** Empty if all documents are those that the digests were computed from. */
  readonly problems: readonly string[]
}

/**
 * Reads each document once and compares it with its digest. Use the content that this returns: a file that is read
 * again may have changed.
 */
export async function readDocuments(
  digests: DocumentDigests,
  at: (path: string) => string,
): Promise<ReadDocuments> {
  const contents = new Map<string, Buffer>()
  const problems: string[] = []
  for (const [path, digest] of Object.entries(digests)) {
    const file = at(path)
    try {
      const content = await readFile(file)
      contents.set(file, content)
      if (digestOf(content) !== digest) problems.push(changed(path))
    } catch (error) {
      problems.push(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
    }
  }
  return { contents, problems }
}

function changed(path: string): string {
  return `${path} is not the document that the Job was created with: somebody replaced the ConfigMap of the run; find out who, and create the run again`
}
