import { describe, expect, test } from 'vitest'
import { budgetLines } from './budget-object.ts'
import { quantity } from './quantity.ts'

describe('quantity', () => {
  test.each([
    { text: '1000000', is: 1_000_000 },
    { text: '12.50', is: 12.5 },
    { text: '500m', is: 0.5 },
    { text: '2Gi', is: 2 * 1024 ** 3 },
    { text: '1e3', is: 1000 },
    { text: '5constructor', is: undefined },
    { text: 'many', is: undefined },
    { text: undefined, is: undefined },
  ])('$text is $is', ({ text, is }) => {
    expect(quantity(text)).toBe(is)
  })
})

describe('budgetLines', () => {
  const budget = (spec: object, status?: object) => ({
    apiVersion: 'budgets.proompteng.ai/v1alpha1',
    ...{ kind: 'Budget', metadata: { name: 'b' }, spec, status },
  })

  test('has a line for each limit, with what is used and reserved', () => {
    const limits = { tokens: '1000', dollars: '2.50' }
    const status = { used: { tokens: '250', dollars: '2.50' }, reserved: { tokens: '100' } }
    expect(budgetLines(budget({ limits }, status))).toEqual([
      { resource: 'tokens', used: '250', limit: '1000', reserved: '100', share: 0.25, held: 0.1 },
      { resource: 'dollars', used: '2.50', limit: '2.50', reserved: undefined, share: 1, held: 0 },
    ])
  })

  test('never draws more than the whole, and nothing of what nobody can read', () => {
    const used = { tokens: '3000', cpu: 'lots' }
    const [tokens, cpu] = budgetLines(budget({ limits: { tokens: '1000', cpu: '0' } }, { used }))
    expect(tokens).toMatchObject({ share: 1, held: 0 })
    expect(cpu).toMatchObject({ used: 'lots', limit: '0', share: 0 })
  })
})
