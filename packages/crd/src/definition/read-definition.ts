import { createRequire } from 'node:module'
import type { CustomResourceDefinition } from '@agents/kube'

const require = createRequire(import.meta.url)

/** Parses a CustomResourceDefinition in YAML. Throws if the text is not one. */
export function readDefinition(text: string): CustomResourceDefinition {
  // Imported on first use, because it consists of seventy modules and most processes never read a file.
  const { parse } = require('yaml') as typeof import('yaml')
  const value = parse(text) as Partial<CustomResourceDefinition> | null
  if (value?.kind !== 'CustomResourceDefinition' || !value.metadata || !value.spec?.versions) {
    throw new Error('this is no CustomResourceDefinition')
  }
  return value as CustomResourceDefinition
}
