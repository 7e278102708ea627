import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

/** The documents of a YAML file, with its path. */
export interface ManifestFile {
  readonly path: string
  readonly text: string
  readonly documents: readonly unknown[]
  /** The YAML syntax errors. */
  readonly errors: readonly string[]
}

/** Reads every YAML file below the paths; `-` is standard input. */
export function readManifestFiles(paths: readonly string[]): readonly ManifestFile[] {
  return paths.flatMap(yamlFilesBelow).map(([path, text]) => {
    const documents = parseAllDocuments(text, { uniqueKeys: true })
    return {
      path,
      text,
      documents: documents.map((document) => document.toJSON()).filter((value) => value !== null),
      errors: documents.flatMap(({ errors }) => errors.map(({ message }) => message)),
    }
  })
}

function yamlFilesBelow(path: string): readonly (readonly [path: string, text: string])[] {
  if (path === '-') return [['standard input', readFileSync(0, 'utf8')]]
  const files = statSync(path).isDirectory()
    ? globSync('**/*.{yaml,yml}', { cwd: path })
        .sort()
        .map((file) => join(path, file))
    : [path]
  return files.map((file) => [file, readFileSync(file, 'utf8')])
}

export interface Identified {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** Whether a document is an object for an API server; values files and kustomizations are not. */
export function isManifest(document: unknown): document is Identified {
  if (typeof document !== 'object' || document === null) return false
  const { apiVersion, kind } = document as Partial<Identified>
  return (
    typeof apiVersion === 'string' &&
    typeof kind === 'string' &&
    !apiVersion.startsWith('kustomize.config.k8s.io/')
  )
}
