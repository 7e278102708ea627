import { modelPattern, mostModels } from '../../../run-contract/model-usage.ts'
import type { Usage } from '../../../run-contract/usage.ts'
import { largestCount, usagePath } from '../../../run-contract/usage-report.ts'
import type { AcceptUsage } from '../../usage/accept-usage.ts'
import type { Route } from '../route.ts'

interface UsagePorts {
  readonly acceptUsage: AcceptUsage
}

function count(description: string) {
  return { type: 'integer', minimum: 0, maximum: largestCount, description }
}

const tokens = {
  inputTokens: count('Input tokens.'),
  cachedInputTokens: count('Input tokens that were read from a cache.'),
  outputTokens: count('Output tokens.'),
  totalTokens: count('Input and output tokens.'),
}

/** Reports of pods about what their run uses. */
export function usageRoutes({ acceptUsage }: UsagePorts): readonly Route[] {
  return [
    {
      access: 'pod',
      method: 'POST',
      path: usagePath,
      id: 'reportUsage',
      summary: 'Reports what the attempt that the calling pod works for has used so far.',
      description:
        'Each report is the total of the attempt. Reports that are late or repeated change nothing; those of an attempt that has ended are refused.',
      body: {
        form: 'json',
        contentType: 'application/json',
        maxBytes: 4096,
        schema: {
          type: 'object',
          additionalProperties: false,
          properties: {
            ...tokens,
            dollars: {
              type: 'string',
              pattern: '^\\d{1,9}(\\.\\d{1,12})?$',
              description: 'What the agent says that it costs, in US dollars.',
            },
            turns: count('Answers of models.'),
            toolCalls: count('Calls of tools.'),
            models: {
              type: 'array',
              maxItems: mostModels,
              description: 'The part of each model.',
              items: {
                type: 'object',
                required: ['model'],
                additionalProperties: false,
                properties: {
                  model: { type: 'string', pattern: modelPattern, description: 'Its name.' },
                  ...tokens,
                },
              },
            },
          },
        },
      },
      answers: {
        200: {
          description: 'The report was taken.',
          schema: {
            type: 'object',
            required: ['reportAfterSeconds'],
            properties: {
              reportAfterSeconds: {
                type: 'integer',
                description: 'When the next report is of use, if something has changed.',
              },
            },
          },
        },
      },
      handle: async ({ body }, { uid, run }) => {
        const reportAfterSeconds = await acceptUsage(uid, run, body as Usage)
        return { json: { reportAfterSeconds } }
      },
    },
  ]
}
