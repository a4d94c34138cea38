;; The inner loops of similarity search. Each processes `count` adjacent rows and writes one number per row to `out`.
;; kernels.ts says what each does.
(module
  ;; Any memory fits: its maximum must not be above the one declared here, which is the largest there is.
  (import "env" "memory" (memory 1 65536 shared))

  ;; Hashes have 32 bytes. Of two vectors of differing bits each byte has 8 at most, so their sum fits into a byte.

  (func (export "hamming")
    (param $queries i32) (param $queryCount i32) (param $rows i32) (param $count i32) (param $out i32)
    (local $low v128) (local $high v128) (local $bits v128)
    (local $query i32) (local $left i32) (local $best i32) (local $distance i32)
    (if (i32.eqz (local.get $count)) (then (return)))
    (loop $row
      (local.set $low (v128.load (local.get $rows)))
      (local.set $high (v128.load offset=16 (local.get $rows)))
      (local.set $best (i32.const 0xffff))
      (local.set $query (local.get $queries))
      (local.set $left (local.get $queryCount))
      (loop $each
        (local.set $bits
          (i32x4.extadd_pairwise_i16x8_u
            (i16x8.extadd_pairwise_i8x16_u
              (i8x16.add
                (i8x16.popcnt (v128.xor (v128.load (local.get $query)) (local.get $low)))
                (i8x16.popcnt (v128.xor (v128.load offset=16 (local.get $query)) (local.get $high)))))))
        (local.set $distance
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $bits)) (i32x4.extract_lane 1 (local.get $bits)))
            (i32.add (i32x4.extract_lane 2 (local.get $bits)) (i32x4.extract_lane 3 (local.get $bits)))))
        (local.set $best
          (select (local.get $distance) (local.get $best) (i32.lt_u (local.get $distance) (local.get $best))))
        (local.set $query (i32.add (local.get $query) (i32.const 32)))
        (br_if $each (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
      (i32.store16 (local.get $out) (local.get $best))
      (local.set $rows (i32.add (local.get $rows) (i32.const 32)))
      (local.set $out (i32.add (local.get $out) (i32.const 2)))
      (br_if $row (local.tee $count (i32.sub (local.get $count) (i32.const 1))))))

  (func (export "pairs")
    (param $a i32) (param $countA i32) (param $b i32) (param $countB i32) (param $atMost i32) (param $out i32)
    (local $low v128) (local $high v128) (local $bits v128)
    (local $row i32) (local $other i32) (local $at i32) (local $end i32)
    (local.set $end (i32.add (local.get $out) (i32.const 4)))
    (block $none
      (br_if $none (i32.eqz (local.get $countA)))
      (br_if $none (i32.eqz (local.get $countB)))
      (loop $eachA
        (local.set $low (v128.load (local.get $a)))
        (local.set $high (v128.load offset=16 (local.get $a)))
        (local.set $other (i32.const 0))
        (local.set $at (local.get $b))
        (loop $eachB
          (local.set $bits
            (i32x4.extadd_pairwise_i16x8_u
              (i16x8.extadd_pairwise_i8x16_u
                (i8x16.add
                  (i8x16.popcnt (v128.xor (v128.load (local.get $at)) (local.get $low)))
                  (i8x16.popcnt (v128.xor (v128.load offset=16 (local.get $at)) (local.get $high)))))))
          (block $far ;; Nearly every pair is too far apart.
            (br_if $far
              (i32.lt_u
                (local.get $atMost)
                (i32.add
                  (i32.add (i32x4.extract_lane 0 (local.get $bits)) (i32x4.extract_lane 1 (local.get $bits)))
                  (i32.add (i32x4.extract_lane 2 (local.get $bits)) (i32x4.extract_lane 3 (local.get $bits))))))
            (i32.store (local.get $end) (local.get $row))
            (i32.store offset=4 (local.get $end) (local.get $other))
            (local.set $end (i32.add (local.get $end) (i32.const 8))))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (br_if $eachB
            (i32.lt_u (local.tee $other (i32.add (local.get $other) (i32.const 1))) (local.get $countB))))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (br_if $eachA (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (local.get $countA)))))
    (i32.store (local.get $out) (i32.sub (local.get $end) (local.get $out))))

  (func (export "regions")
    (param $queries i32) (param $ends i32) (param $regionCount i32) (param $rows i32) (param $count i32) (param $out i32)
    (local $row i64)
    (local $query i32) (local $end i32) (local $at i32) (local $left i32) (local $best i32) (local $distance i32)
    (if (i32.eqz (local.get $count)) (then (return)))
    (loop $eachRow
      (local.set $best (i32.const 0xffff))
      (local.set $query (local.get $queries))
      (local.set $at (local.get $ends))
      (local.set $left (local.get $regionCount))
      (loop $eachRegion
        (local.set $row (i64.load (local.get $rows)))
        (local.set $end (i32.load (local.get $at)))
        (loop $eachQuery
          (local.set $distance
            (i32.wrap_i64 (i64.popcnt (i64.xor (i64.load (local.get $query)) (local.get $row)))))
          (local.set $best
            (select (local.get $distance) (local.get $best) (i32.lt_u (local.get $distance) (local.get $best))))
          (local.set $query (i32.add (local.get $query) (i32.const 8)))
          (br_if $eachQuery (i32.lt_u (local.get $query) (local.get $end))))
        (local.set $rows (i32.add (local.get $rows) (i32.const 8)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br_if $eachRegion (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
      (i32.store16 (local.get $out) (local.get $best))
      (local.set $out (i32.add (local.get $out) (i32.const 2)))
      (br_if $eachRow (local.tee $count (i32.sub (local.get $count) (i32.const 1))))))

  (func (export "dot")
    (param $query i32) (param $chunks i32) (param $rows i32) (param $count i32) (param $out i32)
    (local $row v128) (local $sum v128) (local $at i32) (local $left i32)
    (if (i32.eqz (local.get $count)) (then (return)))
    (loop $eachRow
      (local.set $sum (v128.const i32x4 0 0 0 0))
      (local.set $at (local.get $query))
      (local.set $left (local.get $chunks))
      (loop $eachChunk
        (local.set $row (v128.load (local.get $rows)))
        (local.set $sum
          (i32x4.add
            (i32x4.add
              (local.get $sum)
              (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $row)) (v128.load (local.get $at))))
            (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $row)) (v128.load offset=16 (local.get $at)))))
        (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br_if $eachChunk (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
      (i32.store
        (local.get $out)
        (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
          (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $eachRow (local.tee $count (i32.sub (local.get $count) (i32.const 1)))))))
