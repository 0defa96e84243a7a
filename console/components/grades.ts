export const GRADES = ['confirmed', 'acknowledged', 'unknown', 'failed', 'refused', 'denied', 'pending'] as const;
