;; The inner loops over pixels; kernels.ts says what each does.
(module
  (import "env" "memory" (memory 1))

  ;; Each number of `line` is the weighted sum of the bytes at its place in `count` rows; whole blocks of 16 bytes.
  (func (export "sumRows")
    (param $line i32) (param $source i32) (param $stride i32) (param $weights i32) (param $count i32)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (local $bytes v128) (local $half v128) (local $weight v128)
    (local $lineEnd i32) (local $at i32) (local $tap i32) (local $end i32)
    (local.set $lineEnd (i32.add (local.get $line) (i32.shl (local.get $stride) (i32.const 2))))
    (local.set $end (i32.add (local.get $weights) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $line) (local.get $lineEnd)))
        (local.set $sum0 (v128.const i32x4 0 0 0 0))
        (local.set $sum1 (v128.const i32x4 0 0 0 0))
        (local.set $sum2 (v128.const i32x4 0 0 0 0))
        (local.set $sum3 (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $source))
        (local.set $tap (local.get $weights))
        (block $summed
          (loop $row
            (br_if $summed (i32.ge_u (local.get $tap) (local.get $end)))
            (local.set $weight (v128.load32_splat (local.get $tap)))
            (local.set $bytes (v128.load (local.get $at)))
            (local.set $half (i16x8.extend_low_i8x16_u (local.get $bytes)))
            (local.set $sum0
              (f32x4.add (local.get $sum0)
                (f32x4.mul (local.get $weight) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_u (local.get $half))))))
            (local.set $sum1
              (f32x4.add (local.get $sum1)
                (f32x4.mul (local.get $weight) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_u (local.get $half))))))
            (local.set $half (i16x8.extend_high_i8x16_u (local.get $bytes)))
            (local.set $sum2
              (f32x4.add (local.get $sum2)
                (f32x4.mul (local.get $weight) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_u (local.get $half))))))
            (local.set $sum3
              (f32x4.add (local.get $sum3)
                (f32x4.mul (local.get $weight) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_u (local.get $half))))))
            (local.set $at (i32.add (local.get $at) (local.get $stride)))
            (local.set $tap (i32.add (local.get $tap) (i32.const 4)))
            (br $row)))
        (v128.store (local.get $line) (local.get $sum0))
        (v128.store offset=16 (local.get $line) (local.get $sum1))
        (v128.store offset=32 (local.get $line) (local.get $sum2))
        (v128.store offset=48 (local.get $line) (local.get $sum3))
        (local.set $source (i32.add (local.get $source) (i32.const 16)))
        (local.set $line (i32.add (local.get $line) (i32.const 64)))
        (br $each))))

  ;; Each pixel of `out` (3 numbers) is its ground plus the weighted sum of pixels of `line` (`step` bytes each). A pixel is
  ;; computed and stored as 4 numbers; the next one overwrites the last of them.
  (func (export "narrow")
    (param $out i32) (param $line i32) (param $step i32)
    (param $first i32) (param $starts i32) (param $weights i32) (param $ground i32) (param $count i32)
    (local $sum v128) (local $at i32) (local $weight i32) (local $end i32)
    (block $done
      (loop $each
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $sum (v128.load32_splat (local.get $ground)))
        (local.set $at (i32.add (local.get $line) (i32.mul (i32.load (local.get $first)) (local.get $step))))
        (local.set $weight (i32.add (local.get $weights) (i32.shl (i32.load (local.get $starts)) (i32.const 2))))
        (local.set $end (i32.add (local.get $weights) (i32.shl (i32.load offset=4 (local.get $starts)) (i32.const 2))))
        (block $summed
          (loop $tap
            (br_if $summed (i32.ge_u (local.get $weight) (local.get $end)))
            (local.set $sum
              (f32x4.add (local.get $sum)
                (f32x4.mul (v128.load32_splat (local.get $weight)) (v128.load (local.get $at)))))
            (local.set $at (i32.add (local.get $at) (local.get $step)))
            (local.set $weight (i32.add (local.get $weight) (i32.const 4)))
            (br $tap)))
        (v128.store (local.get $out) (local.get $sum))
        (local.set $out (i32.add (local.get $out) (i32.const 12)))
        (local.set $first (i32.add (local.get $first) (i32.const 4)))
        (local.set $starts (i32.add (local.get $starts) (i32.const 4)))
        (local.set $ground (i32.add (local.get $ground) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $each))))

  ;; (77 red + 150 green + 29 blue) / 256 of each pixel of `step` bytes.
  (func (export "gray") (param $out i32) (param $source i32) (param $step i32) (param $count i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $out) (local.get $count)))
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (i32.store8 (local.get $out)
          (i32.shr_u
            (i32.add
              (i32.add
                (i32.mul (i32.load8_u (local.get $source)) (i32.const 77))
                (i32.mul (i32.load8_u offset=1 (local.get $source)) (i32.const 150)))
              (i32.mul (i32.load8_u offset=2 (local.get $source)) (i32.const 29)))
            (i32.const 8)))
        (local.set $source (i32.add (local.get $source) (local.get $step)))
        (local.set $out (i32.add (local.get $out) (i32.const 1)))
        (br $each))))

  ;; The sums over all that is above and to the left; `out` has a row and a column of zeros first.
  (func (export "sums") (param $out i32) (param $gray i32) (param $width i32) (param $height i32)
    (local $stride i32) (local $row i32) (local $end i32)
    (local.set $stride (i32.shl (i32.add (local.get $width) (i32.const 1)) (i32.const 2)))
    (memory.fill (local.get $out) (i32.const 0) (local.get $stride))
    (block $done
      (loop $eachRow
        (br_if $done (i32.eqz (local.get $height)))
        (local.set $out (i32.add (local.get $out) (local.get $stride)))
        (i32.store (local.get $out) (i32.const 0))
        (local.set $row (i32.const 0))
        (local.set $end (i32.add (local.get $gray) (local.get $width)))
        (loop $each
          (local.set $row (i32.add (local.get $row) (i32.load8_u (local.get $gray))))
          (local.set $gray (i32.add (local.get $gray) (i32.const 1)))
          (local.set $out (i32.add (local.get $out) (i32.const 4)))
          (i32.store (local.get $out)
            (i32.add (local.get $row) (i32.load (i32.sub (local.get $out) (local.get $stride)))))
          (br_if $each (i32.lt_u (local.get $gray) (local.get $end))))
        (local.set $out (i32.sub (local.get $out) (i32.sub (local.get $stride) (i32.const 4))))
        (local.set $height (i32.sub (local.get $height) (i32.const 1)))
        (br $eachRow))))

  ;; 1 where a pixel of a row times `count` is less than the sum of its rectangle by more than `least`, 2 where it is as much
  ;; more, else 0. The four corners of the first rectangle are given as addresses of sums.
  (func (export "compare")
    (param $out i32) (param $gray i32) (param $columns i32) (param $belowRight i32) (param $aboveRight i32)
    (param $belowLeft i32) (param $aboveLeft i32) (param $count i32) (param $least i32)
    (local $counts v128) (local $most v128) (local $fewest v128) (local $difference v128) (local $result v128) (local $end i32)
    (local.set $counts (i32x4.splat (local.get $count)))
    (local.set $most (i32x4.splat (local.get $least)))
    (local.set $fewest (i32x4.neg (local.get $most)))
    (local.set $end (i32.add (local.get $out) (local.get $columns)))
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $difference
          (i32x4.sub
            (i32x4.mul (local.get $counts)
              (i32x4.extend_low_i16x8_u (i16x8.extend_low_i8x16_u (v128.load32_zero (local.get $gray)))))
            (i32x4.add
              (i32x4.sub (v128.load (local.get $belowRight)) (v128.load (local.get $aboveRight)))
              (i32x4.sub (v128.load (local.get $aboveLeft)) (v128.load (local.get $belowLeft))))))
        (local.set $result
          (v128.or
            (v128.and (i32x4.lt_s (local.get $difference) (local.get $fewest)) (i32x4.splat (i32.const 1)))
            (v128.and (i32x4.gt_s (local.get $difference) (local.get $most)) (i32x4.splat (i32.const 2)))))
        (local.set $result (i16x8.narrow_i32x4_u (local.get $result) (local.get $result)))
        (v128.store32_lane 0 (local.get $out) (i8x16.narrow_i16x8_u (local.get $result) (local.get $result)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $gray (i32.add (local.get $gray) (i32.const 4)))
        (local.set $belowRight (i32.add (local.get $belowRight) (i32.const 16)))
        (local.set $aboveRight (i32.add (local.get $aboveRight) (i32.const 16)))
        (local.set $belowLeft (i32.add (local.get $belowLeft) (i32.const 16)))
        (local.set $aboveLeft (i32.add (local.get $aboveLeft) (i32.const 16)))
        (br $each)))))
