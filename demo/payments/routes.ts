import { DemoError, type Answer, type Call } from '../http.ts';
import type { Ledger, Refund } from './ledger.ts';

const REASON_LENGTH_MAX = 500;
const LOST_MAX = 100;

interface Switches {
  /** So many of the next refunds are made, and their answers lost. */
  loseAnswers: number;
  /** Refunds are made, and not shown. */
  hideRefunds: boolean;
}

/**
 * A payment provider for trying things out, described in openapi.yaml beside this file. It can be told to misbehave as real ones do:
 * `PUT /switches {"loseAnswers": 1}` makes the next refund and loses its answer; `{"hideRefunds": true}` shows none until it is switched
 * back, as a provider whose reads lag behind its writes.
 */
export function paymentRoutes(ledger: Ledger, credential: string): (call: Call) => Answer | null {
  const switches: Switches = { loseAnswers: 0, hideRefunds: false };

  const takeRefund = (call: Call): Answer => {
    const refund = ledger.makeRefund(wantedRefund(call.body), keyOf(call));
    if (switches.loseAnswers > 0) {
      switches.loseAnswers--;
      return 'lost';
    }
    return { status: 201, body: refund };
  };

  const shown = (refund: Refund): Refund => {
    if (switches.hideRefunds) throw new DemoError(404, 'no_such_refund', 'There is no such refund, yet.');
    return refund;
  };

  const route = (call: Call): Answer | null => {
    const [, collection, id, last, more] = call.path.split('/').map(decodeURIComponent);
    if (more !== undefined) return null;
    switch (`${call.method} /${collection}${id === undefined ? '' : '/…'}${last === undefined ? '' : '/…'}`) {
      case 'GET /payments':
        return { status: 200, body: { payments: ledger.payments() } };
      case 'GET /payments/…':
        return { status: 200, body: ledger.payment(id ?? '') };
      case 'GET /refunds':
        return { status: 200, body: { refunds: switches.hideRefunds ? [] : ledger.refunds() } };
      case 'POST /refunds':
        return takeRefund(call);
      case 'GET /refunds/…':
        return { status: 200, body: shown(ledger.refund(id ?? '')) };
      case 'GET /refunds/…/…':
        return id === 'by-key' ? { status: 200, body: shown(ledger.refundOf(last ?? '')) } : null;
      case 'GET /switches':
        return { status: 200, body: switches };
      case 'PUT /switches':
        Object.assign(switches, wantedSwitches(call.body));
        return { status: 200, body: switches };
      default:
        return null;
    }
  };

  return (call) => {
    if (!/^\/(payments|refunds|switches)(\/|$)/.test(call.path)) return null;
    if (call.headers.authorization !== `Bearer ${credential}`) {
      throw new DemoError(401, 'unauthorized', 'Send the demo’s key: Authorization: Bearer …');
    }
    return route(call);
  };
}

function keyOf({ headers }: Call): string | null {
  const key = headers['idempotency-key'];
  return typeof key === 'string' && key !== '' ? key : null;
}

function wantedRefund(body: unknown): { payment: string; amount: number; reason: string | null } {
  const { payment, amount, reason = null } = (body ?? {}) as Record<string, unknown>;
  if (typeof payment !== 'string') throw invalid('payment', 'the id of a payment');
  if (!Number.isSafeInteger(amount) || (amount as number) < 1) throw invalid('amount', 'a positive integer');
  if (reason !== null && (typeof reason !== 'string' || reason.length > REASON_LENGTH_MAX)) {
    throw invalid('reason', `a text of at most ${REASON_LENGTH_MAX} characters`);
  }
  return { payment, amount: amount as number, reason };
}

function wantedSwitches(body: unknown): Partial<Switches> {
  const { loseAnswers, hideRefunds } = (body ?? {}) as Record<string, unknown>;
  const wanted: Partial<Switches> = {};
  if (loseAnswers !== undefined) {
    if (!isCount(loseAnswers)) throw invalid('loseAnswers', `an integer from 0 to ${LOST_MAX}`);
    wanted.loseAnswers = loseAnswers;
  }
  if (hideRefunds !== undefined) {
    if (typeof hideRefunds !== 'boolean') throw invalid('hideRefunds', 'true or false');
    wanted.hideRefunds = hideRefunds;
  }
  return wanted;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LOST_MAX;
}

function invalid(member: string, expected: string): DemoError {
  return new DemoError(400, 'invalid', `${member} must be ${expected}.`);
}
