/** Where deliveries go; the provider, the namespace and the name of the source follow. */
export const webhookPath = '/api/agents/implementation-sources/webhooks/'

export const webhookLimits = { maxBytes: 1024 * 1024 }

/**
 * The same for all reasons: strangers do not learn which sources there are. Not thrown: the stack of an error costs
 * more than the hash.
 */
export const unprovenAnswer = {
  status: 401,
  json: {
    ok: false,
    code: 'Unauthenticated',
    error: 'the delivery is not signed by the secret of the source',
  },
}
