import { createRequire } from 'node:module'
import type { CustomResourceDefinition } from '@agents/kube'

const require = createRequire(import.meta.url)

/** A definition as a file has it, in YAML. Throws an Error when the text is none. */
export function readDefinition(text: string): CustomResourceDefinition {
  // Loaded when there is a file to read: most processes have none, and it is seventy files.
  const { parse } = require('yaml') as typeof import('yaml')
  const value = parse(text) as Partial<CustomResourceDefinition> | null
  if (value?.kind !== 'CustomResourceDefinition' || !value.metadata || !value.spec?.versions) {
    throw new Error('this is no CustomResourceDefinition')
  }
  return value as CustomResourceDefinition
}
