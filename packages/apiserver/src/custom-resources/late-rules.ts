import type { DefinitionRules } from './definition-rules.ts'

/**
 * Loads the rules of schemas and CEL, a third of the server's code, with the first definition, so that a server without
 * definitions starts faster. They must not be used before `load` has resolved.
 */
export function lateDefinitionRules(): DefinitionRules {
  let loaded: DefinitionRules | undefined
  const rules = (): DefinitionRules => {
    if (loaded === undefined)
      throw new Error('the definition rules are used before they are loaded')
    return loaded
  }
  return {
    load: async () => {
      loaded ??= (await import('./schema-rules.ts')).schemaDefinitionRules
    },
    check: (definition) => rules().check(definition),
    checkUpdate: (next, old) => rules().checkUpdate(next, old),
    warnings: (next, old) => rules().warnings?.(next, old) ?? [],
    compile: (schema) => rules().compile(schema),
  }
}
