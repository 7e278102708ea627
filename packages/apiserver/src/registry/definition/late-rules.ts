import type { DefinitionRules } from './definition-rules.ts'

/**
 * The rules of schemas and of CEL, which are a third of the server's code, loaded with the first definition: a server
 * without any starts the sooner. Nobody may ask them before `load` is done.
 */
export function lateDefinitionRules(): DefinitionRules {
  let loaded: DefinitionRules | undefined
  const rules = (): DefinitionRules => {
    if (loaded === undefined) throw new Error('the rules of definitions are not loaded')
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
