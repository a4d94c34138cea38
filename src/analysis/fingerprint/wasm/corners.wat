;; The inner loop of matching corners; corners.ts says what it does.
(module
  (import "env" "memory" (memory 1))

  (func (export "nearest")
    (param $a i32) (param $countA i32) (param $b i32) (param $countB i32) (param $rows i32) (param $bestOfB i32)
    (local $first i64) (local $second i64) (local $third i64) (local $fourth i64)
    (local $other i32) (local $at i32) (local $column i32)
    (local $distance i32) (local $best i32) (local $next i32) (local $place i32)
    (if (i32.eqz (local.get $countA)) (then (return)))
    (if (i32.eqz (local.get $countB)) (then (return)))
    (loop $eachA
      (local.set $first (i64.load (local.get $a)))
      (local.set $second (i64.load offset=8 (local.get $a)))
      (local.set $third (i64.load offset=16 (local.get $a)))
      (local.set $fourth (i64.load offset=24 (local.get $a)))
      (local.set $best (i32.const 0xffff))
      (local.set $next (i32.const 0xffff))
      (local.set $place (i32.const 0))
      (local.set $other (i32.const 0))
      (local.set $at (local.get $b))
      (local.set $column (local.get $bestOfB))
      (loop $eachB
        (local.set $distance
          (i32.wrap_i64
            (i64.add
              (i64.add
                (i64.popcnt (i64.xor (i64.load (local.get $at)) (local.get $first)))
                (i64.popcnt (i64.xor (i64.load offset=8 (local.get $at)) (local.get $second))))
              (i64.add
                (i64.popcnt (i64.xor (i64.load offset=16 (local.get $at)) (local.get $third)))
                (i64.popcnt (i64.xor (i64.load offset=24 (local.get $at)) (local.get $fourth)))))))
        (if (i32.lt_u (local.get $distance) (local.get $next)) ;; Rare: most are farther than the two nearest so far.
          (then
            (if (i32.lt_u (local.get $distance) (local.get $best))
              (then
                (local.set $next (local.get $best))
                (local.set $best (local.get $distance))
                (local.set $place (local.get $other)))
              (else (local.set $next (local.get $distance))))))
        (if (i32.lt_u (local.get $distance) (i32.load16_u (local.get $column)))
          (then (i32.store16 (local.get $column) (local.get $distance))))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (local.set $column (i32.add (local.get $column) (i32.const 2)))
        (br_if $eachB
          (i32.lt_u (local.tee $other (i32.add (local.get $other) (i32.const 1))) (local.get $countB))))
      (i32.store16 (local.get $rows) (local.get $place))
      (i32.store16 offset=2 (local.get $rows) (local.get $best))
      (i32.store16 offset=4 (local.get $rows) (local.get $next))
      (local.set $rows (i32.add (local.get $rows) (i32.const 6)))
      (local.set $a (i32.add (local.get $a) (i32.const 32)))
      (br_if $eachA (local.tee $countA (i32.sub (local.get $countA) (i32.const 1)))))))
